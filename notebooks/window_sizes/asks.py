"""Scenario window-sizes: the share of packets that passes an anti-replay window, by rate and cause,
and the time for which the windows of implementations last."""

import itertools
from typing import Any

import altair as alt
import pandas as pd
from pydantic import Field

from remeasure.bench.base import config
from remeasure.bench.base.paths import PUBLISHED
from remeasure.bench.ipsec.ipsec_tunnel import LARGEST_WINDOW
from remeasure.bench.ipsec.kinds import wireguard
from remeasure.bench.ipsec.overhead import ETHERNET, UDP, packet_on_wire
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.models.packet_balance import refused_packets
from remeasure.paper.analysis.models.queue_reordering import RECEIVER
from remeasure.paper.analysis.models.window_acceptance import DEFAULT
from remeasure.paper.analysis.models.window_advice import WINDOWS as ADVISED
from remeasure.paper.analysis.models.window_advice import Passed, Traffic
from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.charts.window_charts import window_cliff
from remeasure.paper.notebook.my_tunnel import passed_part
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

CAUSES: dict[str, str] = words_of(__file__)["causes"]
RATES = {"Slow": "100 Mbit/s", "Middle": "1 Gbit/s", "Fast": "10 Gbit/s"}
"""end of a number's name -> rate, each ten times the one before"""
WINDOWS = (32, 64, 128, 192, 1024, 4096, wireguard.WINDOW)
"""windows of the page [packets]; the last one is WireGuard's"""
PATHS = {"normal": "jitter", "paths": "skew"}
"""cause -> the same on the site's page My tunnel"""
ENOUGH = 99.9
"""share that a window has to pass to be enough [%]"""
_DEFAULTS = PUBLISHED / "elsewhere" / "window-sizes.yaml"


class Default(config.Strict):
    """The window of an implementation, unless told otherwise."""

    implementation: str
    window: int = Field(gt=0)
    """packets"""
    bytes: int = Field(gt=0)
    """memory of the window of an SA or a key"""
    url: str
    says: str
    """the source's report"""


class _Defaults(config.Strict):
    defaults: list[Default]


def place(cause: str, rate: str) -> tuple[str, str]:
    """The level of the factor cause, and the flow. Ten times the delay at 1 Gbit/s stands for 10
    Gbit/s: as many packets leave within it."""
    slow = "priority-slow" if cause == "priority" else cause
    level = {"Slow": slow, "Middle": cause, "Fast": f"{cause}-50"}[rate]
    return level, "slow" if rate == "Slow" else "fast"


def share_text(found: Estimate) -> Quoted:
    """A share [%] as text that is never rounded to 0 or 100."""
    if not found.n:
        return Quoted(NO_NUMBER)
    value = found.value
    text = f"{value:.1f}" if value < 99 else f"{value:.2f}".replace("100.00", "> 99.99")
    return Quoted(f"{value:.0f}" if value in (0, 100) else text, [found.origin])


class WindowSizes:
    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        self.linux, self.order = self._counts()
        """rows for each run and window: packets that reached the receiver and that Linux's own
        window refused; and that a window would refuse, by the order of arrival without one"""
        shares = self.order[["block", "trial", *notebook.tables.factors, "probe", "metric"]]
        notebook.summarise(estimator, shares.assign(unit="%", value=self.order["passed"]))
        scenario = notebook.scenario
        settings, family = scenario.settings_where(cause="normal"), scenario.topology.family
        flow = settings.probes["fast"].model_dump()
        packet = packet_on_wire(settings.ipsec, family.header + UDP + flow["length"], family)
        self.length, self.frame = flow["length"], packet + ETHERNET
        self.per_second = dict(zip(RATES, (flow["rate"] * n for n in (0.1, 1, 10)), strict=True))
        """rate -> packets per second"""

    def _counts(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        tables = self.notebook.tables
        keys = ["block", "trial", *tables.factors, "probe"]
        seen = tables["observations"]
        of_class = seen["metric"].str.extract(r"^up_(?:bulk|favoured)_(received|beyond)$")[0]
        received = seen[of_class == "received"].groupby(keys, observed=True)["value"].sum()
        refused = refused_packets(tables["counters"], RECEIVER, keys)
        linux = pd.DataFrame({"reached": received, "refused": refused}).loc[received.index]
        linux = linux.fillna(0).reset_index()
        linux["reached"] += linux["refused"]
        sizes = self.notebook.numbers("window")
        beyond = seen[(of_class == "beyond") & (seen["window"].map(sizes) == 0)]
        beyond = beyond.groupby([*keys, "index"], observed=True)["value"].sum().rename("refused")
        order = beyond.reset_index().merge(linux.drop(columns="refused"), on=keys)
        linux = linux.rename(columns={"window": "index"})
        linux["index"] = linux["index"].map(sizes).astype(int)
        linux = linux[linux["index"] > 0]
        for one in (linux, order):
            one["passed"] = 100 * (1 - one["refused"] / one["reached"])
            one["metric"] = "within " + one["index"].astype(str)
        return linux, order

    def passed(self, cause: str, rate: str, window: int) -> Estimate:
        """Share of the packets that reach the receiver and pass a window [%]."""
        level, probe = place(cause, rate)
        where = {"cause": level}
        return self.notebook.estimate(metric=f"within {window}", probe=probe, where=where)

    def least(self, rate: str, window: int) -> Estimate:
        """The smallest share of all causes [%]."""
        shares = (self.passed(cause, rate, window) for cause in CAUSES)
        return min(shares, key=lambda one: one.value)

    def table(self) -> pd.DataFrame:
        """Shares that pass [%], by cause and rate (rows) and window (columns)."""
        rows = {(CAUSES[cause], RATES[rate]): (cause, rate) for cause in CAUSES for rate in RATES}
        return asked.grid(
            ("cause", "rate"), rows, WINDOWS, lambda row, w: share_text(self.passed(*rows[row], w))
        )

    def defaults(self) -> pd.DataFrame:
        """Windows of implementations, their memory, and how late a packet may come [ms]."""
        rows = [
            [one.implementation, str(one.window), str(one.bytes)]
            + [f"{1e3 * one.window / rate:.3g}" for rate in self.per_second.values()]
            for one in config.load(_Defaults, _DEFAULTS).defaults
        ]
        columns = ["implementation", "window", "bytes", *(f"ms, {rate}" for rate in RATES.values())]
        return pd.DataFrame(rows, columns=columns, dtype=object)

    def chart(self) -> alt.LayerChart | alt.VConcatChart:
        """Share that passes by window and cause at 10 Gbit/s, by the order of arrival."""
        places = {place(cause, "Fast"): name for cause, name in CAUSES.items()}
        cells = self.order[["cause", "probe"]].apply(tuple, axis=1)
        points = self.order.assign(cause=cells.map(places), value=self.order["passed"])
        shown = points["index"].isin(WINDOWS)
        points = points[shown].dropna(subset="cause").assign(window=points["index"])
        points = points[["window", "cause", "value"]]
        title = f"pass at {RATES['Fast']} (%)"
        points = points.assign(origin=None)
        return window_cliff(points, points, list(CAUSES.values()), DEFAULT, title, -45)

    def tunnel_part(self) -> dict[str, Any]:
        """The part of the site's page My tunnel: two paths with the window that was enough, and
        shares that pass [%], as text, behind jitter and two paths."""
        passed, shares = list[Passed](), []
        for cause, path in PATHS.items():
            for rate in RATES:
                found = {window: self.passed(cause, rate, window) for window in WINDOWS}
                level, probe = place(cause, rate)
                settings = self.notebook.scenario.settings_where(cause=level)
                netem = settings.shaping["gw1.wan"].impairment
                mbit = settings.probes[probe].model_dump()["rate"] * self.length * 8 / 1e6
                traffic = Traffic(path, mbit, self.length, netem.jitter_ms or netem.delay_ms)
                enough = [w for w in ADVISED if w in found and found[w].value >= ENOUGH]
                if path == "skew" and enough:
                    passed.append(Passed(traffic, enough[0], shown=False))
                texts = {str(window): share_text(one) for window, one in found.items()}
                shares.append(vars(traffic) | {"shares": texts})
        return passed_part(passed) | {"shares": shares}

    # Numbers

    def hand_over(self) -> None:
        """Keep rows of both tables for the page, and how well both ways of counting agree."""
        results = self.notebook.results
        for (cause, rate), row in zip(
            itertools.product(CAUSES, RATES), self.table().itertuples(index=False), strict=True
        ):
            says = f"shares that pass {', '.join(map(str, WINDOWS))}, %: row of the table shares"
            results.words(f"{cause.title()}{rate}", " | ".join(row[2:]), says)
        for rate in ("Slow", "Middle"):
            enough = (str(w) for w in WINDOWS if self.least(rate, w).value >= ENOUGH)
            says = f"narrowest window that passes {ENOUGH} % from each cause, packets"
            results.words(f"Enough{rate}", next(enough, NO_NUMBER), says)
        for name, window in (("Wireguard", WINDOWS[-1]), ("Linux", LARGEST_WINDOW)):
            says = f"least share of all causes that passes {window} packets at {RATES['Fast']}, %"
            results.words(f"Least{name}", share_text(self.least("Fast", window)), says)
        results.words("WindowLinux", str(LARGEST_WINDOW), "a window, packets")
        text = f"{wireguard.BITS} bits ({wireguard.WINDOW} packets)"
        results.words("WindowWireguard", text, "its bitmap, and its window")
        for row in self.defaults().itertuples(index=False):
            name = "".join(filter(str.isalpha, row[0].title()))
            says = "window, bytes and ms at each rate, from data/published/elsewhere"
            results.words(f"Default{name}", " | ".join(row[1:]), says)
        results.words("Payload", str(self.length), "payload of a datagram, bytes")
        results.words("Frame", str(self.frame), "frame on the link, bytes")
        self._hand_over_agreement()

    def _hand_over_agreement(self) -> None:
        results, order = self.notebook.results, self.order
        both = self.linux.merge(order, on=["cause", "probe", "metric"])
        chance = ~both["cause"].str.match("paths|priority")
        exact = both[~chance]
        results.number("ExactCells", len(exact), 0, source="cells without chance compared")
        says = "largest difference of packets refused by Linux and by the order of arrival"
        results.count("Exact", (exact["refused_x"] - exact["refused_y"]).abs().max(), says)
        late = order[(order["probe"] == "slow") & order["cause"].str.endswith("-50")]
        late = late.assign(cause=late["cause"].str.removesuffix("-50"))
        pairs = late.merge(order[order["probe"] == "fast"], on=["cause", "metric"])
        for name, found, where in (
            ("Chance", both[chance], "by Linux and by the order of arrival, with jitter"),
            ("Alike", pairs, "at a tenth of the rate and ten times the delay"),
        ):
            apart = (found["passed_x"] - found["passed_y"]).abs().max()
            says = f"largest difference of shares {where}, points"
            results.number(name, apart, 1, source=says)

"""Scenario reordering-causes: packets that the anti-replay window refuses behind queues and paths
that reorder, measured and by the law, and the window to set."""

import itertools
from collections.abc import Iterator
from typing import Any

import altair as alt
import pandas as pd

from remeasure.bench.ipsec.ipsec_tunnel import LARGEST_WINDOW
from remeasure.paper.analysis.models import queue_reordering
from remeasure.paper.analysis.models.queue_reordering import LINK, Law, needed_window
from remeasure.paper.analysis.models.window_acceptance import DEFAULT
from remeasure.paper.analysis.models.window_advice import ALLOWED, Passed, Traffic, advise
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, at, each
from remeasure.paper.notebook.charts.window_charts import window_cliff
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
SHOWN: dict[str, str] = _WORDS["shown"]
_PLACES = (("100", "large"), ("10", "small"), ("1000", "large"))
"""rate and flow of the chart and of numbers: the first that was measured"""
LAW = "by the law of analysis.models.queue_reordering"
TCP: dict[str, Asked] = _WORDS["tcp"]
QUOTED: dict[str, Asked] = _WORDS["quoted"]
CAUSES = {"Priority": "priority", "Paths": "paths-10ms"}
SOURCES: dict[str, str] = _WORDS["sources"]
_ENOUGH = "narrowest measured window that refused at most 0.1 %, packets"
_PLACE = ["cause", "rate", "probe"]


class ReorderingCauses:
    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook = notebook
        self.runs = queue_reordering.runs(notebook.tables, notebook.scenario)
        """one row for each run of a flow (analysis.models.queue_reordering)"""
        self.runs["predicted_share"] = 100 * self.runs["predicted"] / self.runs["sent"]
        self.runs["refused_share"] = 100 * self.runs["refused"] / self.runs["sent"]
        notebook.summarise(
            estimator,
            self.runs[["block", "trial", *notebook.tables.factors, "probe"]].assign(
                metric="refused", unit="%", value=self.runs["refused_share"]
            ),
            queue_reordering.replay_drops(notebook.tables, "tcp"),
        )
        self.causes = notebook.measured("cause")
        self.sizes = {level: int(size) for level, size in notebook.numbers("window").items()}
        """level of factor window -> its size [packets], from the narrowest"""
        self.rates = notebook.measured("rate")
        orders = {"cause": self.causes, "rate": self.rates, "probe": ["large", "small"]}
        order = {name: pd.Categorical(self.runs[name], levels) for name, levels in orders.items()}
        keys = self.runs[["block"]].assign(**order, window=self.runs["window"].map(self.sizes))
        ordered = self.runs.loc[keys.sort_values([*_PLACE, "window", "block"]).index]
        self.cells = ordered.drop_duplicates([*_PLACE, "window"])
        """one run of each cell and flow, in the scenario's order"""
        places = dict(list(self.runs.groupby(["rate", "probe"], observed=True)))
        self.rate, self.flow = next(place for place in _PLACES if place in places)
        """the rate and the flow that the chart shows"""
        self.shown = places[self.rate, self.flow]
        self.seconds = float((self.shown["sent"] / self.shown["per_second"]).iloc[0])
        """duration of a run of the flow in the chart [s]"""

    def of(self, cause: str, rate: str, flow: str) -> pd.DataFrame:
        return self.runs[(self.runs[_PLACE] == [cause, rate, flow]).all(axis=1)]

    def payload(self, flow: str) -> int:
        """Payload of the datagrams of a flow [bytes]."""
        settings = self.notebook.scenario.settings_where(rate="10")
        return int(settings.probes[flow].model_dump()["length"])

    def law(self, cause: str, rate: str, flow: str, window: int = DEFAULT) -> Law:
        """The prediction for a cell."""
        settings = self.notebook.scenario.settings_where(cause=cause, rate=rate)
        family = self.notebook.scenario.topology.family
        return queue_reordering.law_of(settings, flow, window, family)

    def _place(self, run: Any) -> dict[str, str]:
        payload = str(self.payload(run.probe))
        return {"cause": SHOWN.get(run.cause, run.cause), "Mbit/s": run.rate, "payload, B": payload}

    # The window to set

    def enough(self, cause: str, rate: str, flow: str) -> int | None:
        """The narrowest window that refused at most ALLOWED of the packets in every run."""
        here = self.of(cause, rate, flow)
        worst = here.groupby(here["window"].map(self.sizes))["refused_share"].max()
        enough = worst.index[worst <= 100 * ALLOWED]
        return int(enough.min()) if len(enough) else None

    def advice(self) -> pd.DataFrame:
        """By cause, rate and flow: the wait of a packet, how far behind it is, the window by the
        rule, and the narrowest measured window that was enough."""
        rows = [
            self._place(run)
            | {
                "packets/s": f"{run.per_second:,.0f}",
                "longest wait, ms": f"{1e3 * run.wait_s:.1f}",
                "numbers behind": f"{run.behind:.0f}",
                "rule": str(needed_window(run.wait_s, run.per_second) or "beyond"),
                "enough, measured": str(self.enough(run.cause, run.rate, run.probe) or "none"),
            }
            for run in self.cells.drop_duplicates(_PLACE).itertuples()
        ]
        return pd.DataFrame(rows, dtype=object)

    # The law

    def compared(self) -> pd.DataFrame:
        """Predicted and measured share of refused packets, for cells in which either is not 0."""
        refused: Asked = {"metric": "refused"}
        rows = [
            self._place(run)
            | {
                "window": run.window,
                "run, s": f"{run.sent / run.per_second:.1f}",
                "numbers behind": f"{run.behind:.0f}",
                "predicted, %": f"{run.predicted_share:.1f}",
                "measured, %": self.notebook.text(
                    at(refused, cause=run.cause, rate=run.rate, window=run.window), probe=run.probe
                ),
                "of the waiting": f"{100 * run.refused / run.waited:.0f} %",
            }
            for run in self.cells.itertuples()
            if run.predicted or run.refused
        ]
        return pd.DataFrame(rows, dtype=object)

    def beside_calls(self) -> pd.DataFrame:
        """A transfer by TCP and calls in one tunnel: goodput, packets that the window refused, and
        the calls' delay and losses. No rows if it was not measured."""
        measured = self.notebook.observations.query("probe == 'tcp'")
        found = set(zip(measured["rate"], measured["cause"], measured["window"], strict=True))
        cells = itertools.product(self.rates, self.causes, self.sizes)
        rows: dict[tuple[str, str, str], Asked] = {
            (r, SHOWN.get(c, c), w): {"at": {"rate": r, "cause": c, "window": w}}
            for r, c, w in cells
            if (r, c, w) in found
        }
        return asked.table(self.notebook, ("Mbit/s", "cause", "window"), rows, TCP)

    def chart(self) -> alt.LayerChart | alt.VConcatChart:
        """Refused packets by window and cause, at one rate and of one flow."""
        question: Asked = {"metric": "refused", "probe": self.flow, "where": {"rate": self.rate}}
        causes, windows = each("cause", self.causes), each("window", self.sizes)
        found = asked.points(self.notebook, causes, windows, question)
        found["window"] = found["level"].map(self.sizes)
        found["cause"] = found["row"].replace(SHOWN)
        named = [SHOWN.get(cause, cause) for cause in self.causes]
        lines = pd.concat(map(self._line, self.shown["cause"].unique()))
        return window_cliff(found[["window", "cause", "value", "origin"]], lines, named, DEFAULT)

    def _line(self, cause: str) -> pd.DataFrame:
        """The share refused at every window by the law, without the middle of the level part at 0.
        The slope is curved on a logarithmic axis, so that part keeps all points."""
        windows = range(min(self.sizes.values()), max(self.sizes.values()) + 1)
        laws = [self.law(cause, self.rate, self.flow, window) for window in windows]
        shares = pd.Series([100 * law.predicted.refused / law.sent.packets for law in laws])
        line = pd.DataFrame({"window": windows, "cause": SHOWN.get(cause, cause), "value": shares})
        ends = line.index.isin([0, len(line) - 1])
        return line[(shares > 0) | (shares.shift(1) > 0) | ends]

    # Numbers

    def hand_over(self) -> None:
        results, here = self.notebook.results, (self.rate, self.flow)
        results.words("Rate", self.rate, "rate of the link, Mbit/s")
        results.words("Payload", str(self.payload(self.flow)), "payload of a datagram, bytes")
        results.words("Default", str(DEFAULT), "strongSwan's window, packets")
        results.words("Largest", str(LARGEST_WINDOW), "widest window of Linux")
        for name, cause in CAUSES.items():
            law = self.law(cause, *here)
            results.number(f"Wait{name}", 1e3 * law.wait_s, 1, source=f"longest wait, ms, {LAW}")
            says = f"numbers that a packet is behind the newest, {LAW}"
            results.number(f"Overtaken{name}", law.predicted.behind, 0, source=says)
            law = self.law(cause, "1000", "large")
            needed = needed_window(law.wait_s, law.sent.per_second)
            results.words(f"Gigabit{name}", str(needed or "beyond"), f"packets, at 1 Gbit/s, {LAW}")
            for which, place in (("", here), ("Gigabit", ("1000", "large"))):
                enough = str(self.enough(cause, *place) or "none measured")
                results.words(f"{which}Enough{name}", enough, f"{_ENOUGH}, at {place[0]} Mbit/s")
        there = [one.traffic for one in self.passed() if one.traffic.path == "queue"]
        fastest = max(there, key=lambda traffic: traffic.rate, default=None)
        advised = str(advise(fastest, list(self.passed()))) if fastest else "n/a"
        results.words("GigabitSet", advised, "window to set behind priority at 1 Gbit/s, packets")
        where = {"cause": "paths-10ms", "rate": self.rate, "window": str(DEFAULT)}
        self.notebook.quote("RefusedPaths", metric="refused", probe=self.flow, where=where)
        self._hand_over_priority()
        self._hand_over_law()
        asked.hand_over(self.notebook, {n: at(q, rate=self.rate) for n, q in QUOTED.items()})

    def _hand_over_priority(self) -> None:
        """Packets that a full queue with priority lets pass: the whole favoured class, and other
        packets for as long as the queue is short."""
        results = self.notebook.results
        settings = self.notebook.scenario.settings_where(cause="priority", rate=self.rate)
        load = settings.probes[self.flow].model_dump()["load"]
        results.number("Load", load, 0, source="load of the full queue, % of the link")
        found = self.of("priority", self.rate, self.flow)
        run = found[found["window"] == str(DEFAULT)].mean(numeric_only=True)
        results.number("PerSecond", run["per_second"], 0, source="packets per second, offered")
        others = run["per_second"] * (1 - run["favoured_sent"] / run["sent"])
        passed = (run["waited"] - run["refused"]) / others
        says = "time for which others passed the default window, s: number over rate"
        results.number("Passed", passed, 2, source=says)
        lost = self.runs["favoured_lost"][self.runs["cause"] == "priority"].sum()
        results.count("FavouredLost", int(lost), "lost packets of class EF behind priority")

    def _hand_over_law(self) -> None:
        """How well the law predicts: in shares, and whether any packet is refused."""
        results, refusing = self.notebook.results, self.runs["predicted"] > 0
        off = (self.runs["predicted_share"] - self.runs["refused_share"]).abs()
        says = "largest difference of predicted and measured share, points"
        results.number("PredictionWorst", off.max(), 1, source=says)
        results.number("PredictionRuns", len(off), 0, source="runs compared with the law")
        # A window that is not reached refuses nothing at all, not almost nothing.
        quiet = int(self.runs["refused"][~refusing].sum())
        results.count("RefusedUnforeseen", quiet, "packets refused where none is by the law")
        missed = int((self.runs["refused"][refusing] == 0).sum())
        results.count("ForeseenNotRefused", missed, "runs without a refusal, unlike the law")

    def passed(self) -> Iterator[Passed]:
        """Windows that were enough for packets that wait. The page My tunnel offers the longest
        wait of each kind, at the rate and with the packets of the chart."""
        for run in self.cells.drop_duplicates(_PLACE).itertuples():
            cause, rate, flow = run.cause, run.rate, run.probe
            if run.wait_s and (enough := self.enough(cause, rate, flow)):
                settings = self.notebook.scenario.settings_where(cause=cause, rate=rate)
                size = self.payload(flow)
                traffic = Traffic(
                    path="skew" if settings.shaping[LINK].impairment.gap else "queue",
                    rate=float(run.per_second) * size * 8 / 1e6,
                    size=size,
                    delay=float(run.wait_s) * 1e3,
                )
                yield Passed(traffic, enough, (rate, flow) == (self.rate, self.flow))

"""Scenario replay-window: the model, virtual time, losses and bursts, and authentication."""

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from pydantic import Field

from notebooks.replay_window.asks import GIGABIT, SHOWN, ReplayWindow, balance
from remeasure.bench.base import config
from remeasure.bench.base.paths import PUBLISHED
from remeasure.bench.ipsec.ipsec_tunnel import LARGEST_WINDOW
from remeasure.paper.analysis.estimates import Estimate, mean_estimate
from remeasure.paper.analysis.models import departures
from remeasure.paper.analysis.models.packet_balance import passed_share
from remeasure.paper.analysis.models.window_acceptance import DEFAULT, accepted_share
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.texts import number_text
from remeasure.paper.analysis.verdicts.study_tables import published_upload
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, joined
from remeasure.paper.notebook.virtual_time import VirtualTime

PREDICTED = "by the model (analysis.models.window_acceptance)"
_CAPTURED = "data/captured/replay-window.csv.gz"
_JITTER = 0.02
"""jitter of the netem that the captured runs were sent through [s]"""
RSA_OVER_PSK = asked.ratio(auth=("rsa", "psk"))


class Even:
    """The scenario in virtual time, where packets leave evenly, as in the model."""

    def __init__(self, of: ReplayWindow):
        self._of = of
        self.time = VirtualTime(of.notebook)
        if self.time:
            share = passed_share(balance(self.time.tables))
            self.time.add(share, share.assign(metric="dropped", value=1 - share["value"]))
        windows = of.from_narrowest(self.time.tables["trials"])
        self._windows = [window for window in windows if of.size(window)]

    def _cells(
        self, networks: Iterable[str], rates: Iterable[str]
    ) -> Iterator[tuple[str, str, float, Asked]]:
        """Network, window, share that it drops by the model [%], and the question for it."""
        for network, rate, window in itertools.product(networks, rates, self._windows):
            where = {"window": window, "network": network, "rate": rate}
            predicted = 100 * (1 - self._of.predicted(**where))
            yield network, window, predicted, {"metric": "dropped", "scale": 100, "where": where}

    def table(self) -> pd.DataFrame:
        """Shares dropped at the highest rate: predicted, in virtual and in real time."""
        rows = []
        cells = self._cells(self._of.overtaking, [self._of.most])
        for network, window, predicted, question in cells:
            real = self._of.notebook.estimate(question)
            row = {
                "network": SHOWN.get(network, network),
                "window": window,
                "predicted, %": number_text(predicted),
                "virtual time, %": text(self.time.estimate(question)),
                "real time, %": text(real) if real.n and not self.time.alone else "n/a",
            }
            rows.append(row)
        return pd.DataFrame(rows, dtype=object)

    def quote(self) -> None:
        """Hand over the difference of virtual time and prediction."""
        cells = self._cells(self._of.networks, self._of.rates)
        found = [(self.time.estimate(question), share) for *_, share, question in cells]
        made_from = [virtual for virtual, _ in found if virtual.n]
        apart = [abs(virtual.value - share) for virtual, share in found if virtual.n]
        results, worst = self._of.notebook.results, max(apart, default=float("nan"))
        says = "virtual time: largest difference of predicted and measured share, points"
        results.number("VirtualWorst", worst, 1, source=says, made_from=made_from)
        says = "virtual time: cells compared with the prediction"
        results.number("VirtualCells", len(apart), 0, source=says)


def with_losses(of: ReplayWindow, window: str, network: str) -> float:
    """Share predicted at the highest rate with the loss before the window; NaN: not measured."""
    table = of.behind_jitter
    here = (table["network"] == network) & (table["rate"] == of.most) & (table["window"] == window)
    lost = (1 - table["reached"] / table["offered"])[here].mean()
    jitter = of.impairment(network).jitter_ms / 1e3
    return accepted_share(of.size(window), of.per_second(of.most), jitter, lost)


def over_predicted(of: ReplayWindow, window: str, network: str) -> str:
    """Drops of the window at the highest rate over their prediction, as text."""
    where = {"network": network, "rate": of.most, "window": window}
    share = 1 - of.predicted(window, network, of.most)
    if share <= 1e-9:
        return "n/a"
    dropped = of.notebook.estimate(metric="dropped", where=where)
    times = of.notebook.estimate(metric="dropped", where=where, scale=1 / share)
    says = f"share that window {window} dropped over the one predicted"
    return text(times.computed(says, [dropped]))


def failing(of: ReplayWindow) -> pd.DataFrame:
    """Shares that pass at the highest rate: measured, predicted, and predicted with losses."""
    fast = of.passing["network"].isin(of.overtaking) & (of.passing["level"] == of.most)
    rows = []
    for row in of.passing[fast & (of.passing["row"].map(of.size) > 0)].itertuples():
        where = {"network": row.network, "rate": of.most, "window": row.row}
        shown = {"network": SHOWN.get(row.network, row.network), "window": row.row}
        shown["passed, %"] = of.notebook.text(metric="passed", scale=100, where=where)
        shown["predicted, %"] = f"{100 * row.predicted:.2f}"
        shown["with losses, %"] = f"{100 * with_losses(of, row.row, row.network):.2f}"
        shown["dropped over predicted"] = over_predicted(of, row.row, row.network)
        rows.append(shown)
    return pd.DataFrame(rows).set_index(["network", "window"]) if rows else pd.DataFrame()


class Captured:
    """Runs at the highest rate that were captured before and behind netem, without IPsec."""

    def __init__(self, of: ReplayWindow):
        self.runs = [run for run in departures.captured_runs() if run.rate == of.most]
        self._results = of.notebook.results

    def table(self) -> pd.DataFrame:
        """Share that passes a window: evenly, as captured, and by the order of arrival."""
        rows = []
        for window in (32, 64, 128, 256, 512, 1024, 2048):
            row = {f"{name}, %": text(self._over_runs("passed", name, window)) for name in _WAYS}
            rows.append({"window": str(window)} | row)
        return pd.DataFrame(rows, dtype=object)

    def quote(self, rate: str) -> None:
        """Hand over the drops of a window of 1024, and how packets leave."""
        results = self._results
        for name, way in (("Uneven", "as captured"), ("Passed", "passed")):
            results.words(f"Captured{name}", text(self._over_runs("dropped by", way, 1024)))
        behind = (
            np.searchsorted(r.sent, r.sent + 0.01) - np.arange(len(r.sent)) for r in self.runs
        )
        most = str(max(int(one.max()) for one in behind))
        results.words("CapturedRuns", str(len(self.runs)), f"captured runs at {rate}")
        results.words("CapturedMost", most, "most packets that left within 10 ms")
        mean = float(np.mean([run.packets_per_second for run in self.runs])) / 100
        says = "packets that left within 10 ms on average"
        results.number("CapturedMean", mean, 0, source=says)

    def _over_runs(self, says: str, way: str, window: int) -> Estimate:
        """The mean share [%] that passes, or is dropped by, a window; its interval over runs."""
        shares = np.array([_WAYS[way](run, window) for run in self.runs])
        values = 100 * (shares if says == "passed" else 1 - shares)
        what = f"{says} the window of {window} in captured runs: {way}, %"
        return mean_estimate(values).captured(what, _CAPTURED)


_WAYS = {
    "evenly": lambda run, window: accepted_share(window, run.packets_per_second, _JITTER, run.loss),
    "as captured": lambda run, window: departures.predicted_share(run, window, _JITTER),
    "passed": lambda run, window: departures.passed_share(run.arrived, window),
}
"""way of computing the share that passes a window -> the share, of a run and a window"""


def authentication(of: ReplayWindow) -> pd.DataFrame:
    """RSA over PSK by network and load. Hands over how many ratios there are, and differ from 1."""
    loads = {"UDP, 100 Mbit/s": udp(of), "TCP": TCP}
    pairs = {
        (SHOWN.get(network, network), label): joined(load, {"where": {"network": network}})
        for network in of.networks
        for label, load in loads.items()
    }
    found = [of.notebook.estimate(question, RSA_OVER_PSK) for question in pairs.values()]
    says = "comparisons of RSA with PSK"
    of.notebook.results.number("AuthPairs", len(found), 0, source=f"{says}, counted")
    apart = sum(not one.low <= 1 <= one.high for one in found)
    of.notebook.results.count("AuthApart", apart, f"{says} whose interval excludes 1")
    column = {"RSA / PSK": RSA_OVER_PSK}
    return asked.table(of.notebook, ("network", "load"), pairs, column)


def quote_study(of: ReplayWindow) -> None:
    """Hand over the rate of UDP upload on the impaired network in Pratama 2025."""
    for arm, rate in published_upload().items():
        says = f"study pratama, UDP upload, impaired, {arm.upper()}, Mbit/s"
        of.notebook.results.number(f"Study{arm.capitalize()}", rate, 2, source=says)


TCP: Asked = {"metric": "goodput", "probe": "tcp"}


def udp(of: ReplayWindow) -> Asked:
    """The question for goodput of UDP at the highest rate."""
    return {"metric": "goodput", "probe": "udp", "where": {"rate": of.most}}


class Extent(config.Strict):
    """How far a packet came late on a path of others."""

    source: str
    path: str
    url: str
    packets: int = Field(gt=0)
    """later packets that arrived first"""
    per_second: float | None = Field(default=None, gt=0)
    """packets per second of that path, if the source gives them"""
    says: str
    """the source's report"""

    def at(self, per_second: float) -> int:
        """The extent at another rate [packets]: the same time if known, else the same number."""
        return round(self.packets * per_second / (self.per_second or per_second))


class _Extents(config.Strict):
    extents: list[Extent]


EXTENTS = PUBLISHED / "elsewhere" / "replay-window.yaml"


def too_narrow(extent: int, windows: Iterable[int]) -> str:
    """The windows that drop a packet so far behind the newest one (RFC 4303, section 3.4.3)."""
    return ", ".join(str(window) for window in windows if extent >= window) or "none"


def extents(of: ReplayWindow) -> pd.DataFrame:
    """Which windows drop the latest packets of paths of others, and a packet that our jitter delays
    by its deviation. Hands over the extents. Raises UserError for a fault of EXTENTS."""
    windows, rates = (DEFAULT, 1024, LARGEST_WINDOW), {"100 Mbit/s": of.most, "1 Gbit/s": GIGABIT}
    found = {
        one.source: {rate: one.at(of.per_second(text)) for rate, text in rates.items()}
        for one in config.load(_Extents, EXTENTS).extents
    }
    seen = "; ".join(f"{at['1 Gbit/s']} ({source})" for source, at in found.items())
    of.notebook.results.words("Seen", seen, "packets late at 1 Gbit/s, of paths of others")
    jitter = of.impairment("reordering").jitter_ms
    found[f"late by {jitter:g} ms (ours)"] = {
        rate: round(of.per_second(text) * jitter / 1e3) for rate, text in rates.items()
    }
    rows = []
    for source, at in found.items():
        row = {"seen by": source}
        for rate, packets in at.items():
            row[f"packets late, {rate}"] = str(packets)
            row[f"dropped by, {rate}"] = too_narrow(packets, windows)
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)

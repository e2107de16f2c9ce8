"""Comparisons of a treatment with itself, and simulated campaigns with a known answer."""

import altair as alt
import pandas as pd

from notebooks.calibration.asks import Calibration
from notebooks.calibration.captured import simulated
from remeasure.paper.analysis.same_treatment import comparisons, false_rates
from remeasure.paper.analysis.texts import number_text
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import NUMBERS, PAGE, panel

METRICS = {
    "round trip": [("latency", "rtt_mean")],
    "jitter": [("latency", "jitter")],
    "TCP goodput": [("tcp", "goodput")],
    "UDP goodput": [("loss", "goodput")],
    "processor time": [("tcp", "cpu_per_megabyte")],
}
"""label -> (probe, metric) that the arms a and b are compared by"""
_AFTER_SET_UP = [
    ("latency", "rtt_mean"),
    ("latency", "jitter"),
    *((f"{kind}_{way}", "goodput") for kind in ("tcp", "udp") for way in ("up", "down")),
    ("udp_up", "jitter"),
    ("udp_down", "jitter"),
]
_BY = ["kind", "asked of", "truth", "verdicts", "campaigns"]
_RATES = ["held", "endless", "false", "any false"]
RESOLUTION_SOURCES = {
    "comparisons": "ratios of b to a, counted",
    "false": "of them, intervals that leave out 1, counted",
    "median": "half width of these intervals, %",
    "best": "the narrowest, %",
    "worst": "the widest, %",
}
SAME_SOURCES = {
    "comparisons": "comparisons of the same treatment, counted",
    "false": "of them, intervals that leave out 1, counted",
    "share": "share of these, %",
    **dict.fromkeys(("low", "high"), "its 95 % interval by Clopper and Pearson, %"),
}
"""column of a table -> where its numbers come from"""


def percent(share: float, digits: int = 1) -> str:
    return "n/a" if pd.isna(share) else f"{100 * share:.{digits}f}"


class Alike:
    """Comparisons of arms that have the same treatment."""

    def __init__(self, of: Calibration):
        self._of, summaries = of, of.summaries
        own = of.notebook.summaries
        own = own[own["way"].isin(["", "harness"])]
        self.pairs = pd.concat(
            comparisons(own, "arm", ("a", "b"), metrics).assign(row=row)
            for row, metrics in METRICS.items()
        )
        sources = {"calibration, a against b": self.pairs}
        arms, goodput = ("psk", "rsa"), [("udp", "goodput"), ("tcp", "goodput")]
        if (table := summaries.get("replay-window")) is not None:
            name = "replay-window, PSK against RSA"
            sources[name] = comparisons(table, "auth", arms, goodput)
        if (table := summaries.get("psk-rsa")) is not None:
            name = "psk-rsa, PSK against RSA after set-up"
            sources[name] = comparisons(table, "auth", arms, _AFTER_SET_UP)
        if (table := summaries.get("ah-esp-ciphers")) is not None:
            plain, rates = table.query("suite == 'none'"), [("test_1", "rate"), ("test_2", "rate")]
            name = "ah-esp-ciphers, two modes without IPsec"
            sources[name] = comparisons(plain, "mode", ("tunnel", "transport"), rates)
        self.rates = false_rates(sources)
        self.all = self.rates.loc["all"]
        """false differences of all comparisons together"""

    def resolution(self) -> pd.DataFrame:
        """Half widths of the intervals of b over a [%], by metric."""
        width = 100 * ((self.pairs["high"] / self.pairs["low"]) ** 0.5 - 1)
        table = self.pairs.assign(resolution=width).groupby("row", sort=False)
        table = table.agg(
            comparisons=("false", "size"),
            false=("false", "sum"),
            median=("resolution", "median"),
            best=("resolution", "min"),
            worst=("resolution", "max"),
        ).reset_index()
        for column in ("median", "best", "worst"):
            table[column] = table[column].map(lambda value: number_text(value, 2))
        return table.astype(str)

    def chart(self) -> alt.ConcatChart:
        """Ratios of b to a, a panel for each metric."""
        order, fields = (
            self._of.networks.index,
            ["row", "network", "value", "low", "high", "origin"],
        )
        in_order = self.pairs.sort_values(
            "network", key=lambda names: names.map(order), kind="stable"
        )
        panels = (
            figures.intervals(
                in_order.loc[in_order["row"] == label, fields], "network", x_title="b / a", rule=1
            ).properties(width=panel(PAGE, 3, beside=NUMBERS), height=125, title=label)
            for label in METRICS
        )
        return alt.concat(*panels, columns=3, spacing=12)

    def table(self) -> pd.DataFrame:
        """Shares of false differences [%], by where the comparisons come from."""
        rows = self.rates.rename_axis("source").reset_index()
        for column in ("share", "low", "high"):
            rows[column] = rows[column].map(percent)
        return rows.astype(str)


class Simulated:
    """Simulated campaigns with a known answer and measured noise."""

    def __init__(self) -> None:
        self.campaigns = simulated("cases")
        self.enough = self.campaigns[self.campaigns["blocks"] > 3]
        """campaigns of 5 and 10 blocks"""

    def table(self) -> pd.DataFrame:
        """Shares of campaigns whose intervals hold the truth, and of false verdicts [%], by kind of
        question."""
        rows = []
        for kind, cases in self.campaigns.groupby("kind", sort=False):
            by_blocks = list(cases.groupby("blocks"))
            row = {"kind": kind}
            row |= {f"held {n}": _span(of["held"].min(), of["held"].max()) for n, of in by_blocks}
            row |= {f"false {n}": percent(of["false"].max()) for n, of in by_blocks if n > 3}
            rows.append(row)
        return pd.DataFrame(rows).astype(str)

    def others(self) -> pd.DataFrame:
        """Coverage and false verdicts of other methods on the same noise, by method and blocks."""
        return simulated("others").set_index(["kind", "blocks"])[["held", "false"]]


def shown(campaigns: pd.DataFrame) -> pd.DataFrame:
    """Simulated campaigns to be shown: rates [%] by number of blocks."""
    rates = campaigns.set_index([*_BY, "blocks"])[_RATES]
    return rates.map(percent).unstack("blocks", sort=False)


def _span(low: float, high: float) -> str:
    ends = dict.fromkeys((percent(low), percent(high)))
    return " to ".join(ends)

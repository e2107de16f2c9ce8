"""Scenario per-cpu-sas: one SA against SAs of each processor, their tables and charts."""

from typing import Unpack

import altair as alt
import pandas as pd

from notebooks.per_cpu_sas.model import (
    busy_metrics,
    carried_by_processor,
    fits,
    received_shares,
    trials_carried_by_several,
)
from remeasure.paper.analysis.limits.rate_limits import PERFORMANCE, read_as_performance
from remeasure.paper.analysis.summaries import trial_summaries
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.notebook.asked import Asked, each
from remeasure.paper.notebook.charts import figures
from remeasure.paper.notebook.charts.theme import NAMES, PAGE, SHARED, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook

_CONDITIONS = [
    "none",
    "single",
    "per-cpu",
    "per-cpu-encap",
    "single-gcm",
    "per-cpu-gcm",
    "per-cpu-encap-gcm",
]
_PAIRS = [
    ("per-cpu", "single"),
    ("per-cpu-encap", "per-cpu"),
    ("per-cpu-gcm", "single-gcm"),
    ("single-gcm", "single"),
    ("none", "single"),
    ("none", "per-cpu"),
]
"""conditions that are compared"""
_TRIAL = ["campaign", "block", "trial"]
_BENCH = ["campaign", "backend", "accelerator", "cpus", "guest_cpus", "machine_cpus"]
STANDING_SOURCES = {
    "runs": "runs of this limit and reading, counted",
    "cpus": "processors of a guest, a factor",
    "guest_cpus": "processors of all guests",
    "machine_cpus": "processors of the machine",
}
"""column of `PerCpuSas.standing` -> where its numbers come from"""
FUNCTION = "function only"
"""what is said of rates that are not read as performance"""


class PerCpuSas:
    """The trials of scenario per-cpu-sas. Its first campaign is analysed; others are evidence that
    something works."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        """`estimator` as of ScenarioNotebook.summarise, which this calls."""
        self.notebook, self.everything = notebook, notebook.tables
        self._limits = notebook.limits
        notebook.only(self.everything["trials"]["campaign"][:1])
        observations = notebook.observations
        self.conditions = notebook.measured("condition", _CONDITIONS)
        self.cpus = sorted(set(notebook.trials["cpus"]), key=int)
        self.streams = sorted(set(observations["streams"]), key=int)
        self.most = self.streams[-1]
        self.steerings = notebook.measured("steering", ["one-queue", "by-flow"])
        values = trial_summaries(observations, notebook.tables.factors, estimator)
        self.summaries = notebook.summarise(
            estimator,
            busy_metrics(values, sender="left", receiver="right"),
            notebook.per_megabyte("cpu_per_megabyte", ["left", "right"]),
        )
        self.readable = read_as_performance(self.summaries, notebook.limits)
        """summaries of trials whose rates are read as performance"""
        readings = notebook.limits.groupby("cpus", observed=True)["reading"].agg(set)
        self.readable_cpus = [c for c in self.cpus if readings.get(c) == {PERFORMANCE}]
        """processors of a guest with which all rates are"""
        # With one processor there is nothing to steer: both levels are one cell under two names.
        several = self.readable["cpus"] != "1"
        self._alike = self.readable.assign(
            steering=self.readable["steering"].where(several, "either")
        )

    def standing(self) -> pd.DataFrame:
        """What limited the rate of how many runs, by bench."""
        trials = self.everything["trials"][[*_TRIAL, *(c for c in _BENCH if c not in _OF_RUN)]]
        kinds = self._limits.merge(trials, on=_TRIAL)
        counted = kinds.groupby([*_BENCH, "limit", "reading"], observed=True).size()
        return counted.rename("runs").reset_index()[[*_BENCH, "runs", "limit", "reading"]]

    def carried(self) -> pd.DataFrame:
        """Packets that the sender's SA of each processor carried in a run with most streams, mean
        over trials of each cell. How many trials there are, and in how many several processors
        carried, is handed over."""
        carried = carried_by_processor(self.everything["counters"], "left")
        carried = carried[carried["streams"] == self.most]
        trials = self.everything["trials"]
        on = trials[[*_TRIAL, "backend", "accelerator"]]
        carried = carried.merge(on, on=_TRIAL)
        asked = trials.query(
            "cpus != '1' and condition.str.startswith('per-cpu') and verdict != 'rejected'"
        )
        results = self.notebook.results
        says = "trials in which SAs of at least two processors carried packets, all campaigns"
        results.count("CarryTrials", trials_carried_by_several(carried), says)
        says = "trials with per-CPU SAs and more than one processor, all campaigns"
        results.number("CarryAsked", len(asked), 0, source=says)
        return carried.assign(processor="processor " + carried["processor"]).pivot_table(
            index=["backend", "accelerator", "cpus", "condition", "steering"],
            columns="processor",
            values="change",
            aggfunc="mean",
            observed=True,
        )

    def throughput(self) -> pd.DataFrame:
        """Throughput of all streams by cell. A star marks what is not read as performance."""
        cells: dict[tuple[str, str, str], Asked] = {
            (cpus, condition, steering): {
                "where": {"cpus": cpus, "condition": condition, "steering": steering}
            }
            for cpus in self.cpus
            for condition in self.conditions
            for steering in self.steerings
        }
        columns = each("streams", self.streams, "{} streams")
        table = self.notebook.texts("cell", cells, columns, metric="throughput").replace("n/a", "")
        table[["processors", "condition", "steering"]] = table.pop("cell").tolist()
        for column in columns:
            starred = [
                cell.within("{} *") if cell and cpus not in self.readable_cpus else cell
                for cell, cpus in zip(table[column], table["processors"], strict=True)
            ]
            table[column] = pd.Series(starred, dtype=object)
        return table[["processors", "condition", "steering", *columns]]

    def throughput_chart(self) -> alt.HConcatChart:
        """Throughput with most streams by condition and steering, a panel for each number of
        processors."""
        points = self.summaries.query("metric == 'throughput' and probe == 'load'")
        points = points[points["streams"] == self.most].rename(
            columns={"condition": "row", "steering": "level"}
        )
        most, unit = float(points["value"].max()), self.notebook.unit("throughput")

        def panel_of(cpus: str) -> alt.LayerChart:
            function = "" if cpus in self.readable_cpus else f", {FUNCTION}"
            return figures.points_and_intervals(
                points.loc[points["cpus"] == cpus, ["row", "level", "value"]],
                self.notebook.points(
                    each("condition", self.conditions),
                    each("steering", self.steerings),
                    metric="throughput",
                    where={"cpus": cpus, "streams": self.most},
                ),
                levels=self.steerings,
                legend="steering",
                x_title=f"throughput ({unit})",
                width=panel(PAGE, 2, beside=NAMES),
                row_step=20,
                scale=alt.Scale(domain=[0, 1.1 * most]),
            ).properties(title=f"{cpus} CPU{function}")

        return alt.hconcat(*map(panel_of, self.cpus), spacing=14)

    def ratio(self, of: str, to: str, cpus: str, metric: str = "throughput") -> str:
        """A condition over another, with most streams, as text."""
        return self._over(
            self._alike,
            metric=metric,
            of={"condition": of},
            to={"condition": to},
            where={"cpus": cpus, "streams": self.most},
            over="steering",
        )

    def ratios(self) -> pd.DataFrame:
        """Throughput and processor time of conditions that are compared."""
        rows = [
            {
                "ratio": f"{of} / {to}",
                "cpus": cpus,
                "throughput": self.ratio(of, to, cpus),
                "processor time a byte": self.ratio(of, to, cpus, "cpu_per_megabyte"),
            }
            for of, to in _PAIRS
            if {of, to} <= set(self.conditions)
            for cpus in self.cpus
        ]
        return pd.DataFrame(rows, dtype=object)

    def steering(self) -> pd.DataFrame:
        """Throughput steered by flow over one queue."""
        rows = [
            {
                "condition": condition,
                "cpus": cpus,
                "by-flow / one-queue": self._over(
                    self.readable,
                    metric="throughput",
                    of={"steering": "by-flow"},
                    to={"steering": "one-queue"},
                    where={"cpus": cpus, "streams": self.most, "condition": condition},
                ),
            }
            for condition in self.conditions
            for cpus in self.cpus
        ]
        return pd.DataFrame(rows)

    def _over(self, table: pd.DataFrame, **question: Unpack[Asked]) -> str:
        found = self.notebook.estimate(question, summaries=table, quantity="ratio")
        return text(found) if found.n else FUNCTION

    def course(self) -> alt.Chart:
        """Throughput by second, one line a trial with most streams."""
        course = self.notebook.observations
        course = course[
            (course["metric"] == "throughput_interval") & (course["streams"] == self.most)
        ]
        by = [*self.notebook.tables.between, "block", "index"]
        course = course.groupby(by, observed=True)["value"].mean().reset_index()
        course["line"] = course["block"].astype(str) + course["cpus"] + course["steering"]
        unit = self.notebook.unit("throughput_interval")
        facet = alt.Facet("condition:N", columns=4, sort=self.conditions, title=None)
        lines = alt.Chart(course).mark_line(opacity=0.7, strokeWidth=1)
        return lines.encode(
            x=alt.X("index:Q", title="second"),
            y=alt.Y("value:Q", title=unit),
            color=alt.Color("cpus:N", title="processors a guest"),
            detail="line:N",
            facet=facet,
        ).properties(width=panel(PAGE, 4, beside=SHARED), height=80)

    def busy(self) -> pd.DataFrame:
        """How busy each processor of both ends was with most streams [%]."""
        observations = self.notebook.observations
        metric = observations["metric"]
        chosen = observations[
            metric.str.fullmatch(r"(left|right)_cpu\d+_busy")
            & (observations["streams"] == self.most)
        ]
        named = chosen.assign(processor=chosen["metric"].str.removesuffix("_busy"))
        return named.pivot_table(
            index=["condition", "cpus", "steering"],
            columns="processor",
            values="value",
            observed=True,
        ).round(1)

    def received(self) -> pd.DataFrame:
        """Share of received packets that each processor of the receiver worked on."""
        counters = self.notebook.counters
        received = counters[counters["streams"] == self.most]
        return received_shares(received, "right", ["condition", "cpus", "steering"]).round(3)

    def scaling(self) -> pd.DataFrame:
        """Laws of scaling, fitted to throughput by processors."""
        load = self.readable.query("metric == 'throughput'")
        load = load[load["streams"] == self.most]
        found = {c: fits(load[load["condition"] == c]) for c in self.conditions}
        return pd.DataFrame(found).T.round(4)


_OF_RUN = ("campaign", "cpus")
"""columns of _BENCH that runs have already"""

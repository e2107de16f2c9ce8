"""Scenario per-cpu-sas: one SA against SAs of each processor, their tables and charts."""

import itertools
import json
from collections.abc import Mapping

import altair as alt
import pandas as pd

from remeasure.bench.base.paths import PUBLISHED
from remeasure.paper.analysis.limits.rate_limits import PERFORMANCE, read_as_performance
from remeasure.paper.analysis.lineage import Quoted
from remeasure.paper.analysis.summaries import trial_summaries
from remeasure.paper.analysis.texts import estimate_text
from remeasure.paper.notebook import asked
from remeasure.paper.notebook.asked import Asked, Asking, each
from remeasure.paper.notebook.charts.theme import NAMES, PAGE, panel
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)
COLUMNS: dict[str, Asked] = _WORDS["columns"]
FUNCTION = "function only"
"""name of rates that are not read as performance"""
CARRIED = "packets that outbound SAs of this processor carried in a run, mean over trials"
_TRIAL = ["campaign", "block", "trial"]


class PerCpuSas:
    """The trials of scenario per-cpu-sas: its first campaign; others show that something works."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str):
        self.notebook, self.everything = notebook, notebook.tables
        notebook.only(self.everything["trials"]["campaign"][:1])
        observations = notebook.observations
        self.conditions = notebook.measured("condition")
        self.cpus = list(notebook.numbers("cpus"))
        self.streams = list(notebook.numbers("streams"))
        self.most = self.streams[-1]
        self.steerings = each("steering", notebook.measured("steering"))
        values = trial_summaries(observations, notebook.tables.factors, estimator)
        summaries = notebook.summarise(
            estimator,
            busy_metrics(values, notebook.numbers("cpus"), sender="left", receiver="right"),
            notebook.per_megabyte("cpu_per_megabyte", ["left", "right"]),
        )
        self.readable = read_as_performance(summaries, notebook.limits)
        """summaries of trials whose rates are read as performance"""
        readings = notebook.limits.groupby("cpus", observed=True)["reading"].agg(set)
        self.readable_cpus = [c for c in self.cpus if readings.get(c) == {PERFORMANCE}]
        """processors of a guest with which all rates are"""
        # With one processor there is nothing to steer: both levels are one cell under two names.
        several = self.readable["cpus"].map(notebook.numbers("cpus")) > 1
        steering = self.readable["steering"].where(several, "either")
        self._alike = Asking(notebook, self.readable.assign(steering=steering))

    def _carried(self) -> pd.DataFrame:
        """Counters of packets that the sender's SA of each processor carried with most streams."""
        carried = carried_by_processor(self.everything["counters"], "left")
        return carried[carried["streams"] == self.most]

    def carried(self) -> pd.DataFrame:
        """Packets that each SA carried with most processors and streams, mean over trials."""
        trials = self.everything["trials"]
        most = max(set(trials["cpus"]), key=lambda level: self.notebook.number("cpus", level))
        on = trials.loc[trials["cpus"] == most, [*_TRIAL, "backend", "accelerator"]]
        named = self._carried().merge(on, on=_TRIAL)
        named = named.assign(processor="processor " + named["processor"])
        cell = ["backend", "accelerator", "condition", "steering"]
        means = named.pivot_table("change", cell, "processor", observed=True)
        return means.map("{:.0f}".format).reset_index()

    def throughput(self) -> pd.DataFrame:
        """Throughput of all streams by cell. A star: not read as performance."""

        def field(cell: tuple[str, str, str], streams: str) -> str:
            cpus, condition, steering = cell
            where = {"cpus": cpus, "condition": condition, "steering": steering, "streams": streams}
            found = self.notebook.estimate(metric="throughput", where=where)
            text = estimate_text(found) if found.n else Quoted("")
            return text.within("{} *") if found.n and cpus not in self.readable_cpus else text

        cells = itertools.product(self.cpus, self.conditions, self.steerings)
        head = "processors", "condition", "steering"
        table = asked.grid(head, cells, self.streams, field)
        return table.rename(columns={streams: f"{streams} streams" for streams in self.streams})

    def chart(self) -> alt.HConcatChart:
        """Throughput with most streams by condition and steering, a panel per processors."""
        table = self.notebook.summaries.query("metric == 'throughput' and probe == 'load'")
        most = float(table["value"][table["streams"] == self.most].max())

        def panel_of(cpus: str) -> alt.LayerChart:
            function = "" if cpus in self.readable_cpus else f", {FUNCTION}"
            return asked.chart(
                self.notebook,
                each("condition", self.conditions),
                self.steerings,
                common={"metric": "throughput", "where": {"cpus": cpus, "streams": self.most}},
                legend="steering",
                x_title="throughput ({unit})",
                width=panel(PAGE, 2, beside=NAMES),
                row_step=20,
                scale=alt.Scale(domain=[0, 1.1 * most]),
            ).properties(title=f"{cpus} CPU{function}")

        return alt.hconcat(*map(panel_of, self.cpus), spacing=14)

    def ratio(self, of: str, to: str, cpus: str, column: str = "throughput") -> str:
        """A condition over another, with most streams, as text; `column` is one of COLUMNS."""
        found = self._alike.estimate(
            COLUMNS[column],
            quantity="ratio",
            of={"condition": of},
            to={"condition": to},
            where={"cpus": cpus, "streams": self.most},
            over="steering",
        )
        return estimate_text(found) if found.n else FUNCTION

    def ratios(self) -> pd.DataFrame:
        """Throughput and processor time of conditions that are compared."""
        pairs = {f"{o} / {t}": (o, t) for o, t in _WORDS["pairs"] if {o, t} <= set(self.conditions)}
        rows = itertools.product(pairs, self.cpus)
        return asked.grid(
            ("ratio", "cpus"), rows, COLUMNS, lambda row, c: self.ratio(*pairs[row[0]], row[1], c)
        )

    def hand_over(self) -> None:
        results, trials = self.notebook.results, self.everything["trials"]
        processors = int(self.notebook.trials["machine_cpus"].max())
        results.number("MachineCpus", processors, 0, source="processors of the machine")
        alone = [cpus for cpus in self.cpus if self.notebook.number("cpus", cpus) == 1]
        several = trials[~trials["cpus"].isin(alone)]
        wanted = several.query("condition.str.startswith('per-cpu') and verdict != 'rejected'")
        several = trials_carried_by_several(self._carried())
        results.count(
            "CarryTrials", several, "trials in which SAs of two processors carried packets"
        )
        says = "trials with per-CPU SAs and more than one processor"
        results.number("CarryAsked", len(wanted), 0, source=says)
        for name, column in (("GainOne", "throughput"), ("CostOne", "processor time per byte")):
            found = self.ratio("per-cpu", "single", self.cpus[0], column)
            results.words(name, found, f"per-CPU SAs over one SA, {column}")


def busy_metrics(
    summaries: pd.DataFrame, processors: Mapping[str, float], sender: str, receiver: str
) -> pd.DataFrame:
    """Summaries (analysis.summaries) of new metrics, from <host>_busy [%] and throughput [Mbit/s].
    hosts_busy [%]: mean of both hosts. receiver_less_sender [percentage points], and
    sender_receiver_gap, its absolute value. cores_per_gbit: processors in use at one host (mean of
    both) per Gbit/s. `cpus` must be a factor; `processors` are the numbers of its levels."""
    keys = [c for c in summaries.columns if c not in ("metric", "unit", "value")]
    wide = summaries.pivot_table(index=keys, columns="metric", values="value", observed=True)
    wide = wide[[f"{sender}_busy", f"{receiver}_busy", "throughput"]].dropna()
    mean = (wide[f"{sender}_busy"] + wide[f"{receiver}_busy"]) / 2
    less = wide[f"{receiver}_busy"] - wide[f"{sender}_busy"]
    cpus = wide.index.get_level_values("cpus").map(processors).astype(int)
    metrics = {
        ("hosts_busy", "%"): mean,
        ("receiver_less_sender", "points"): less,
        ("sender_receiver_gap", "points"): less.abs(),
        ("cores_per_gbit", "cores per Gbit/s"): cpus * mean / 100 / (wide["throughput"] / 1000),
    }
    found = pd.concat(metrics, names=["metric", "unit"])
    return found.rename("value").reset_index()


def carried_by_processor(counters: pd.DataFrame, host: str) -> pd.DataFrame:
    """Counters of packets of outbound SAs of `host` by `processor`, a column with its number."""
    found = counters["counter"].str.extract(r"^sa_out_cpu(\d+)_packets$")[0]
    chosen = found.notna() & (counters["host"] == host)
    return counters[chosen].assign(processor=found[chosen])


def trials_carried_by_several(carried: pd.DataFrame) -> int:
    """Number of trials in which SAs of at least two processors carried packets; `carried` is the
    table of `carried_by_processor`, and may cover several campaigns."""
    moved = carried.groupby(["campaign", "block", "trial"], observed=True)["change"]
    return int(moved.agg(lambda changes: (changes > 0).sum() > 1).sum())


# Quantities of Wagner 2025, computed again from its raw files (data/published/wagner)


def recomputed() -> pd.DataFrame:
    """Quantity -> published (NaN: not printed), recomputed (a number, or a list with one number per
    flow or processor), unit, note."""
    kept = json.loads((PUBLISHED / "wagner-recomputed.json").read_text())
    return pd.DataFrame(kept["quantities"]).set_index("quantity")


def as_shown(quantities: pd.DataFrame) -> pd.DataFrame:
    """The quantities that the study prints, with their numbers as text."""
    names = ["published", "recomputed"]
    printed = quantities.dropna(subset=names)
    return printed.assign(**{name: printed[name].map("{:.4g}".format) for name in names})


def hand_over_recomputed(quantities: pd.DataFrame, results: Results) -> None:
    for name, (quantity, digits) in _WORDS["quoted"].items():
        source = f"Wagner 2025, computed again: {quantity}"
        results.number(name, quantities.loc[quantity, "recomputed"], digits, source=source)

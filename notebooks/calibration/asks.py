"""Scenario calibration: settings of the testbed, their results, and like against like."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from scipy.stats import binomtest

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.folder import block_path, measured_scenario
from remeasure.bench.claims.published import load_published
from remeasure.bench.claims.questions import Question
from remeasure.bench.claims.rules import PRESENT, RULES
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.evaluation import evaluate
from remeasure.paper.analysis.lineage import SCENARIO
from remeasure.paper.analysis.models import links
from remeasure.paper.analysis.selection import Measurements
from remeasure.paper.analysis.summaries import (
    Tables,
    costs,
    gateways_in,
    read_tables,
    trial_summaries,
)
from remeasure.paper.analysis.texts import estimate_text as text
from remeasure.paper.analysis.verdicts.answers import smallest_effect
from remeasure.paper.notebook.asked import Asked, at, joined, ratio, values_of
from remeasure.paper.notebook.charts.theme import GREY, NUMBERS, PAGE, panel
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.virtual_time import VirtualTime
from remeasure.paper.words import words_of

PERCENT, MS = r"\percent", r"\milli\second"
TCP: Asked = {"metric": "goodput", "probe": "tcp"}
BY_HAND = joined(TCP, ratio(way=("hand", "harness")))
"""goodput of a run typed by hand over goodput of a run by the harness"""
_WORDS = words_of(__file__)
SET: dict[str, tuple[str, Asked]] = _WORDS["set"]
STEP: Asked = {"metric": "clock_step", "probe": "clock"}
SWEEP = "algorithm-sweep"
SWEEP_DELAY: Asked = _WORDS["sweep_delay"]
_WAY = ["client1.site1", "gw1.wan", "gw2.site2"]
"""the links on the way of a datagram of algorithm-sweep"""
_ASKED = {"delay_mean", "goodput", "jitter", "rtt_mean", "rate"}
"""metrics that this notebook looks at in other scenarios"""
OWN: dict[str, tuple[str, str]] = _WORDS["own"]
OTHERS: dict[str, Any] = _WORDS["others"]
EFFECTS: dict[str, str] = _WORDS["effects"]
SAME_SOURCES: dict[str, str] = _WORDS["same_sources"]


def percent(share: float) -> str:
    return "n/a" if pd.isna(share) else f"{100 * share:.1f}"


class Calibration:
    """The trials of scenario calibration, and trials of the other scenarios that were built."""

    def __init__(self, notebook: ScenarioNotebook, estimator: str, others: Mapping[str, str]):
        """`others`: scenario -> folder of its tables."""
        self.notebook = notebook
        observations, factors = notebook.observations, notebook.tables.factors
        runs = observations.query("probe == 'tcp'")
        own = notebook.counters.query("way == 'harness'")
        notebook.summarise(
            estimator,
            *_of_echoes(notebook.tables),
            costs(own, runs, factors, "cpu_per_megabyte", gateways_in(own)),
        )
        self.virtual = VirtualTime(notebook, estimator)
        if self.virtual:
            self.virtual.add(*_of_echoes(self.virtual.tables))
        kinds = {n: n.partition("-")[0] for n in notebook.measured("network")}
        self.kinds = dict(sorted(kinds.items(), key=lambda pair: pair[1]))
        """network -> its kind"""
        self.networks = list(self.kinds)
        self.tables = {s: read_tables(ROOT / of, ["observations"]) for s, of in others.items()}
        self.summaries = {s: _summaries(s, of, estimator) for s, of in self.tables.items()}
        self.arms = notebook.summaries[notebook.summaries["way"].isin(["", "harness"])]
        """summaries of trials without runs that were typed by hand"""
        self.pairs = pd.concat(
            comparisons(self.arms, "arm", ("a", "b"), [metric]).assign(row=row)
            for row, metric in OWN.items()
        )
        """ratios of b to a, as of `comparisons`"""
        self.alike = {"calibration, a against b": self.pairs}
        """where comparisons of like with like come from, as of `comparisons`"""
        for name, (factor, levels, metrics) in OTHERS.items():
            if (table := self.summaries.get(name.partition(",")[0])) is not None:
                plain = table[table["suite"] == "none"] if factor == "mode" else table
                self.alike[name] = comparisons(plain, factor, levels, metrics)
        self.rates = false_rates(self.alike)
        """shares of false differences, by where the comparisons come from"""

    def set_table(self) -> pd.DataFrame:
        """Setting and result of each network and step of a clock."""
        rows = [
            self.row(SET[kind][0], self._set(network), at(SET[kind][1], network=network))
            for network, kind in self.kinds.items()
            if kind in SET
        ]
        steps = self.notebook.numbers("step_ms")
        rows += [self.row("step of a clock (ms)", step, at(STEP, step_ms=step)) for step in steps]
        return pd.DataFrame(rows, dtype=object)

    def row(self, what: str, wanted: str, question: Asked) -> dict[str, str]:
        """A setting, and the answer to a question in both times."""
        found, virtual = (one.text(question) for one in (self.notebook, self.virtual))
        return {"what": what, "set": wanted, "real time": found, "virtual time": virtual}

    def _set(self, network: str) -> str:
        if (kind := self.kinds[network]) != "rate":
            return f"{self.notebook.number('network', network, kind):g}"
        scenario = self.notebook.scenario
        settings, family = scenario.settings_where(network=network), scenario.topology.family
        return f"{links.full_goodput('full_tcp', settings, family):.2f}"

    def same(self) -> pd.DataFrame:
        """Shares of false differences [%], by where the comparisons come from."""
        rows = self.rates.rename_axis("source").reset_index()
        shares = ["share", "low", "high"]
        return rows.assign(**{name: rows[name].map(percent) for name in shares}).astype(str)

    def chart(self) -> alt.ConcatChart:
        fields = ["row", "network", "value", "low", "high", "origin"]
        by_network = self.pairs.sort_values(
            "network", key=lambda names: names.map(self.networks.index), kind="stable"
        )
        x, panels = alt.X("low:Q", title="b / a", scale=alt.Scale(zero=False)), []
        width = panel(PAGE, 3, beside=NUMBERS)
        for label in OWN:
            table = by_network.loc[by_network["row"] == label, fields]
            order, base = list(dict.fromkeys(table["network"])), alt.Chart(table)
            y = alt.Y("network:N", sort=order, title=None)
            layers = (
                base.mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=alt.datum(1))
                + base.mark_rule(strokeWidth=1.4).encode(x=x, x2="high:Q", y=y)
                + base.mark_point(filled=True, size=22, opacity=1).encode(x="value:Q", y=y)
            )
            panels.append(layers.properties(width=width, height=125, title=label))
        return alt.concat(*panels, columns=3, spacing=12)

    def hand_over(self) -> None:
        notebook, results, found = self.notebook, self.notebook.results, self.rates.loc["all"]
        notebook.quote("ByHand", BY_HAND)
        results.number("Comparisons", found["comparisons"], 0, source=SAME_SOURCES["comparisons"])
        results.count("False", found["false"], SAME_SOURCES["false"])
        results.number("Alike", found["alike"], 0, source=SAME_SOURCES["alike"])
        results.number("FalseShare", 100 * found["share"], 1, PERCENT, SAME_SOURCES["share"])
        interval = f"[{percent(found['low'])}, {percent(found['high'])}]"
        results.words("FalseInterval", interval, SAME_SOURCES["low"])
        clock = notebook.observations.query("metric == 'clock_step'")
        off = (clock["value"] - clock["step_ms"].map(notebook.numbers("step_ms"))).abs()
        results.number("ClockWorst", off.max(), 3, MS, "largest error of a clock's step")
        waits = notebook.observations.query("probe == 'waits' and metric == 'error'")["value"]
        low, middle, high = (f"{waits.quantile(q):.2f}" for q in (0.05, 0.5, 0.95))
        said = "Waits of known length were not measured in this campaign"
        if len(waits):
            said = f"Trains of echo requests found waits of known length too long by {middle} ms "
            said += f"(median; {low} to {high} in the middle 90 of 100)"
        results.words("Waits", said, "wait less the pause by the target's clock")
        self._hand_over_links()

    def _hand_over_links(self) -> None:
        """Keep the additional time of a large datagram in algorithm-sweep, and the prediction."""
        results, says = self.notebook.results, "whether links of algorithm-sweep took time"
        if SWEEP not in self.summaries:
            results.words("SweepLinks", "not measured", says)
            return
        observations = self.tables[SWEEP]["observations"]
        (campaign, block), *_ = observations.groupby(["campaign", "block"], observed=True).groups
        plain = measured_scenario(block_path(campaign, SWEEP, block)).settings_where(suite="none")
        needed = links.wire_ms(1344 - 64, [plain.shaping[place] for place in _WAY])
        delay = self.notebook.estimate(SWEEP_DELAY, summaries=self.summaries[SWEEP])
        results.words("SweepLinks", _took(delay, needed), says)
        results.words("SweepDelay", text(delay), "one-way delay, 1344 less 64 bytes, no IPsec")
        results.number("SweepWires", needed, 2, MS, "time of three wires for 1280 bytes")


def _took(delay: Estimate, needed: float) -> str:
    if delay.low <= needed <= delay.high:
        return "took the time that wires need"
    if delay.high < needed / 2:
        return "took no time to send a packet"
    return "did not take the time that wires need"


def _of_echoes(tables: Tables) -> list[pd.DataFrame]:
    """Summaries of round trips: deviation, those after the first, additional time of large ones."""
    observations, factors = tables["observations"], tables.factors
    spread = observations[observations["metric"] == "rtt"].assign(metric="rtt_sd")
    return [
        trial_summaries(spread, factors, "std"),
        links.settled_echoes(observations, factors),
        *([links.longer_echoes(observations, factors)] if "size" in factors else []),
    ]


def _summaries(scenario: str, tables: Tables, estimator: str) -> pd.DataFrame:
    """This notebook's summaries of the trials of another scenario."""
    asked = tables["observations"].query("metric in @_ASKED")
    found = trial_summaries(asked, tables.factors, estimator)
    found.attrs[SCENARIO] = scenario
    return found


# A against A: trials that had the same treatment under two names. Differences come from the bench,
# or from chance: an interval without 1 is a false difference. One in twenty is expected, whether or
# not comparisons depend on each other; the interval of that share needs independent ones. Random
# order alone keeps the share near 5 %, however noisy the bench is, and about 80 comparisons cannot
# show it to within 3 points. A quiet bench shows in how many are alike.

FEWEST = 3
"""fewest blocks of a comparison"""
_FIXED = ("block", "trial", "probe", "metric", "unit", "value")


def comparisons(
    summaries: pd.DataFrame, factor: str, names: tuple[str, str], metrics: list[tuple[str, str]]
) -> pd.DataFrame:
    """Ratio of the second to the first of two levels of `factor`, for each of `metrics` (probe and
    metric) and each combination of levels of the other factors, in trial summaries (columns:
    summaries.py). Columns: probe, metric; the other factors; value, low, high, n [blocks], origin,
    false, alike (bool). Comparisons of too few blocks, or without spread, are left out."""
    others = [c for c in summaries.columns if c not in (*_FIXED, factor)]
    rows, measurements = [], Measurements(summaries)
    for probe, metric in metrics:
        fields: Asked = {"probe": probe, "metric": metric}
        cells = values_of(summaries, fields)[others].drop_duplicates()
        most = smallest(metric)
        for cell in cells.astype(str).to_dict("records"):
            asked = joined(fields, ratio(**{factor: names[::-1]}), {"where": cell})
            question = Question.model_validate(asked)
            found = evaluate(question, measurements, {})
            if found.n >= FEWEST and found.high > found.low:
                ends = {
                    "false": not found.low <= 1 <= found.high,
                    "alike": 1 / most < found.low and found.high < most,
                }
                rows.append({**fields, **cell, **found.columns(), **ends})
    of_ratio = ["value", "low", "high", "n", "origin", "false", "alike"]
    return pd.DataFrame(rows, columns=["probe", "metric", *others, *of_ratio])


def smallest(metric: str) -> float:
    """The smallest factor between two values of a metric that matters (EFFECTS)."""
    study = load_published(EFFECTS[metric].partition("-")[0])
    claim = next(one for one in study.claims if one.id == EFFECTS[metric])
    return smallest_effect(claim.asked(RULES[PRESENT])[0])


def false_rates(sources: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per source (name -> its `comparisons`) and one for `all`. Columns: comparisons,
    false, alike (counts); share, low, high: the false share and its 95 % interval (Clopper and
    Pearson), 0 to 1."""
    every = {**sources, "all": pd.concat(sources.values())}
    rows = {}
    for name, table in every.items():
        n, false, alike = len(table), int(table["false"].sum()), int(table["alike"].sum())
        low, high = binomtest(false, n).proportion_ci() if n else (np.nan, np.nan)
        rows[name] = (n, false, alike, false / n if n else np.nan, low, high)
    columns = ["comparisons", "false", "alike", "share", "low", "high"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)

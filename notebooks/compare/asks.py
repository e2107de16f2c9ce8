"""Two campaigns side by side, in notebook compare, which belongs to no single scenario."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from IPython.utils.capture import capture_output
from scipy import stats

from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.machine_kind import in_words
from remeasure.bench.probes.metrics import MetricKind
from remeasure.paper.analysis.decisions import NOT_TESTABLE, UNDECIDED
from remeasure.paper.analysis.entry import Ledger
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.summaries import of_kind
from remeasure.paper.analysis.texts import interval_text, value_text
from remeasure.paper.notebook.scenario_notebook import ScenarioNotebook
from remeasure.paper.notebook.shared_tables import provenance
from remeasure.paper.publish.planning.headlines import HEADLINES
from remeasure.paper.publish.planning.opened import opened
from remeasure.paper.words import words_of

_WORDS = words_of(__file__)


class Campaigns:
    def __init__(self, campaigns: Sequence[str], scenarios: Sequence[str], tidy: str, out: str):
        """`tidy`: folder of the tables of both; `out`: folder of results."""
        self._folder = ROOT / out
        self._names = dict(zip(("first", "second"), campaigns, strict=True))
        self._pairs = {
            scenario: [_notebook(tidy, out, campaign, scenario) for campaign in campaigns]
            for scenario in scenarios
        }
        self.cells = {
            scenario: cells_compared(first.summaries, second.summaries, first.tables.factors)
            for scenario, (first, second) in self._pairs.items()
        }
        ledgers = [
            [entry for one in campaign if one.studies for entry in one.statements().entries]
            for campaign in zip(*self._pairs.values(), strict=True)
        ]
        self._verdicts = verdicts_compared(*ledgers)
        self._headlines = headlines_compared(read_headlines(campaigns, scenarios, ROOT / tidy))

    def in_words(self) -> str:
        """How many verdicts and cells agree."""
        counts = self._verdicts["agreement"].value_counts().reindex(list(AGREEMENT), fill_value=0)
        tables = self.cells.values()
        apart, far = (sum(table[how].sum() for table in tables) for how in ("differs", "far"))
        known = sum(table["low"].notna().sum() for table in tables)
        same, another, undecided = counts
        machines = " and ".join(
            f"`{name}` on {self._machine(place)}" for place, name in enumerate(self._names.values())
        )
        return str(_WORDS["verdicts"]).format(
            machines=machines, count=len(self._verdicts), same=same, another=another,
            undecided=undecided, known=known, apart=apart, far=far, beyond=f"{FAR - 1:.0%}",
        )  # fmt: skip

    def verdicts(self) -> pd.DataFrame:
        return self._verdicts.set_index("study").rename(columns=self._names)

    def other_verdicts(self) -> pd.DataFrame:
        verdicts = self.verdicts()
        return verdicts[verdicts["agreement"] == OTHER].drop(columns="agreement")

    def headlines(self) -> pd.DataFrame:
        """The headline numbers of both, and whether they agree."""
        shown = self._headlines.rename(columns=self._names)
        return shown.round({"ratio": 3, "low": 3, "high": 3})

    def headlines_in_words(self) -> str:
        return headlines_in_words(self._headlines)

    def made(self) -> pd.DataFrame:
        facts = (provenance(self._blocks(place)) for place in (0, 1))
        return differences(*facts).rename(columns=self._names)

    def _blocks(self, place: int) -> list[Path]:
        return [block for pair in self._pairs.values() for block in pair[place].blocks]

    def _machine(self, place: int) -> str:
        sessions = (s for b in self._blocks(place) for s in BlockArchive(b).block["sessions"])
        return " / ".join(dict.fromkeys(in_words(session["machine"]) for session in sessions))

    def save_cells(self) -> None:
        every = pd.concat(self.cells, names=["scenario"]).reset_index("scenario")
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / "cells.csv"
        every.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")

    def differing_cells(self, scenario: str) -> pd.DataFrame:
        """Cells whose ratio excludes 1."""
        table = self.cells[scenario]
        apart = table[table["differs"]]
        ratios = apart[["ratio", "low", "high"]].itertuples(index=False)
        shown = apart.assign(ratio=[interval_text(*ratio) for ratio in ratios])
        shown = shown.drop(columns=["low", "high", "differs"]).rename(columns=self._names)
        return shown.round(4).set_index("probe")


def _notebook(tidy: str, out: str, campaign: str, scenario: str) -> ScenarioNotebook:
    """The notebook of a scenario, over only one campaign."""
    blocks = sorted((RAW / campaign / scenario).glob("block-*.zip"))
    handed = f"{out}/../{campaign}/{scenario.replace('-', '_')}"
    notebook = ScenarioNotebook(f"{tidy}/{campaign}/{scenario}", map(str, blocks), handed)
    notebook.summarise("mean")
    return notebook


SAME, OTHER, UNDECIDED_IN_ONE = "the same", "another", "undecided in one"
AGREEMENT = (SAME, OTHER, UNDECIDED_IN_ONE)
"""how the verdicts of two campaigns on a statement agree"""
TOTALS: tuple[MetricKind, ...] = ("sent", "payload", "total")
"""kinds of metrics that grow with the duration of a run, which profiles set"""
FAR = 1.05
"""ratio beyond which a difference between two campaigns is called far"""


def cells_compared(first: pd.DataFrame, second: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """One row per cell, probe and metric that both campaigns measured, and that is above 0 in every
    trial, except for TOTALS: columns <factors>, probe, metric, unit, first, second (geometric means
    [unit]), ratio (second over first), low, high (its 95 % interval; NaN if a campaign has one
    block), blocks (of the campaign with fewer), differs (the interval excludes 1), far (it excludes
    all within FAR). `first` and `second` are summaries (analysis.summaries)."""
    keys = [*factors, "probe", "metric", "unit"]
    logs = [_log_blocks(one[~of_kind(one["metric"], *TOTALS)], keys) for one in (first, second)]
    both = logs[0].index.unique().intersection(logs[1].index.unique())
    rows = []
    for key in both:
        before, after = (np.atleast_1d(np.asarray(log.loc[key])) for log in logs)
        means = before.mean(), after.mean(), after.mean() - before.mean()
        ends, blocks = _welch(before, after), min(len(before), len(after))
        rows.append((*key, *map(np.exp, means), *ends, blocks))
    table = pd.DataFrame(rows, columns=[*keys, "first", "second", "ratio", "low", "high", "blocks"])
    differs, far = ((table["low"] > bound) | (table["high"] < 1 / bound) for bound in (1.0, FAR))
    return table.assign(differs=differs, far=far)


def _log_blocks(summaries: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Logarithms of the blocks' means, by cell; without cells that have a value of 0 or below."""
    means = summaries.groupby([*keys, "block"], observed=True)["value"].mean()
    positive = means.groupby(level=keys, observed=True).transform("min") > 0
    return np.log(means[positive]).droplevel("block").sort_index()


def _welch(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    if min(len(before), len(after)) < 2:
        return np.nan, np.nan
    found = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.95)
    return float(np.exp(found.low)), float(np.exp(found.high))


def verdicts_compared(first: Ledger, second: Ledger) -> pd.DataFrame:
    """One row per statement that trials of both campaigns answer: columns study, id, says, first,
    second (verdicts), and how they agree (AGREEMENT). `first` and `second` are entries of the
    ledger (analysis.verdicts.ledger)."""
    columns = ["study", "id", "says", "verdict"]
    one, other = (pd.DataFrame(ledger, columns=columns) for ledger in (first, second))
    table = one.merge(other[["id", "verdict"]], on="id")
    table.columns = pd.Index(["study", "id", "says", "first", "second"])
    table = table[(table != NOT_TESTABLE).all(axis=1)].reset_index(drop=True)
    agree, undecided = table["first"] == table["second"], (table == UNDECIDED).any(axis=1)
    return table.assign(agreement=np.select([agree, undecided], [SAME, UNDECIDED_IN_ONE], OTHER))


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> pd.DataFrame:
    """One row per entry of shared_tables.provenance, or tool of it, whose value differs between
    two campaigns, columns first and second (text)."""
    facts = [pd.Series({**one, **one["tools"]}).drop("tools") for one in (first, second)]
    table = pd.concat(facts, axis=1, keys=["first", "second"]).fillna("").astype(str)
    return table[table["first"] != table["second"]].rename_axis("what")


# Headline numbers of both campaigns

TIMES, OTHERS = 1.1, 1.25
"""predicted factor between two machines: of times; of all others (data/published/ours.yaml)"""
_SECONDS = ("s", "ms", "us")
AGREES, APART, OPEN = "agrees", "apart", "open"


class Headline(NamedTuple):
    says: str
    first: Estimate
    second: Estimate
    unit: str
    """unit of both; empty for a ratio"""


def read_headlines(
    campaigns: Sequence[str], scenarios: Sequence[str], tidy: Path
) -> Iterator[Headline]:
    """The headline numbers that both campaigns have. `tidy`: folder of their tables."""
    for name in (one for one in scenarios if one in HEADLINES):
        blocks = {one: sorted((RAW / one / name).glob("block-*.zip")) for one in campaigns}
        with capture_output():  # the first cells of the scenario's notebook show something
            both = [opened(name, tidy / one / name, of) for one, of in blocks.items()]
        for says, question in HEADLINES[name].items():
            first, second = (notebook.estimate(question) for notebook in both)
            unit = both[0].unit(question["metric"]) if question.get("quantity") != "ratio" else ""
            if np.isfinite([first.value, second.value]).all():
                yield Headline(says, first, second, unit)


def headlines_compared(headlines: Iterable[Headline]) -> pd.DataFrame:
    """One row per headline number: columns first, second, ratio (second over first), low, high (its
    95 % interval, NaN without one), within (the predicted factor), agreement: AGREES if the
    interval is within the factor, APART if all of it is beyond, else OPEN."""
    rows = [_row(one) for one in headlines]
    columns = ["headline", "first", "second", "ratio", "low", "high", "within", "agreement"]
    return pd.DataFrame(rows, columns=columns).set_index("headline")


def _row(one: Headline) -> tuple[object, ...]:
    shown = [f"{value_text(estimate)} {one.unit}".strip() for estimate in (one.first, one.second)]
    ratio, low, high = _ratio(one.first, one.second)
    factor = TIMES if one.unit in _SECONDS else OTHERS
    near, far = np.log([low, high]), np.log(factor)
    agreement = OPEN
    if np.abs(near).max() <= far:
        agreement = AGREES
    elif near[0] > far or near[1] < -far:
        agreement = APART
    return one.says, *shown, ratio, low, high, factor, agreement


def _ratio(first: Estimate, second: Estimate) -> tuple[float, float, float]:
    """Second over first, with the interval of two independent estimates on logarithms; NaN if one
    of their intervals has no end above 0."""
    ends = np.array([[one.low, one.value, one.high] for one in (first, second)], dtype=float)
    if not (np.isfinite(ends).all() and (ends > 0).all()):
        return second.value / first.value, np.nan, np.nan
    logs = np.log(ends)
    half = np.hypot(*((logs[:, 2] - logs[:, 0]) / 2))
    middle = logs[1, 1] - logs[0, 1]
    low, value, high = np.exp([middle - half, middle, middle + half])
    return float(value), float(low), float(high)


def headlines_in_words(table: pd.DataFrame) -> str:
    agree, apart, neither = (sum(table["agreement"] == one) for one in (AGREES, APART, OPEN))
    counts = {"count": len(table), "agree": agree, "apart": apart, "neither": neither}
    return str(_WORDS["headlines"]).format(**counts, others=OTHERS, times=TIMES)

"""Two campaigns side by side: their cells, their verdicts, and differences in how they were made.
Blocks of two campaigns are not paired, and their machines may vary differently. Ratios therefore
have Welch's interval, over the logarithms of the blocks' values."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from remeasure.bench.probes.metrics import Kind
from remeasure.paper.analysis.decisions import NOT_TESTABLE, UNDECIDED
from remeasure.paper.analysis.entry import Ledger
from remeasure.paper.analysis.summaries import of_kind

SAME, OTHER, OPEN = "the same", "another", "undecided in one"
AGREEMENT = (SAME, OTHER, OPEN)
"""how the verdicts of two campaigns on a statement agree"""
TOTALS: tuple[Kind, ...] = ("sent", "payload", "total")
"""kinds of metrics that grow with the duration of a run, which profiles set: rates and shares
replace them in comparisons"""
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
    """Logarithms of the blocks' means, one value per block, by cell; without cells that have a
    value of 0 or below."""
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
    of_second = {entry["id"]: entry["verdict"] for entry in second}
    rows = [
        (one["study"], one["id"], one["says"], one["verdict"], of_second[one["id"]])
        for one in first
        if one["id"] in of_second
    ]
    table = pd.DataFrame(rows, columns=["study", "id", "says", "first", "second"])
    tested = (table[["first", "second"]] != NOT_TESTABLE).all(axis=1)
    table = table[tested].reset_index(drop=True)
    return table.assign(agreement=[_agreement(row.first, row.second) for row in table.itertuples()])


def _agreement(first: str, second: str) -> str:
    if first == second:
        return SAME
    return OPEN if UNDECIDED in (first, second) else OTHER


def differences(first: Mapping[str, object], second: Mapping[str, object]) -> pd.DataFrame:
    """One row per entry of notebook.provenance.provenance whose value differs between two
    campaigns, columns first and second (text)."""
    first, second = _flat(first), _flat(second)
    keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return pd.DataFrame(
        {
            "first": [str(first.get(key, "")) for key in keys],
            "second": [str(second.get(key, "")) for key in keys],
        },
        index=pd.Index(keys, name="what"),
    )


def _flat(facts: Mapping[str, object]) -> dict[str, object]:
    """The facts with a row per tool."""
    flat: dict[str, object] = {}
    for key, value in facts.items():
        flat |= value if isinstance(value, Mapping) else {key: value}
    return flat

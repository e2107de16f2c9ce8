"""What difference a bench can see: the trials of one treatment under two names, metric by metric.

Half the width of an interval is the measure: a difference as large as that is found about every
other time.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.estimates import Estimate, blocks_needed, is_geometric
from remeasure.paper.analysis.evaluation import evaluate
from remeasure.paper.analysis.measured import Measurements

GOALS = (5, 1)
"""half widths for which the rounds that they need are told [%]"""
_COLUMNS = [
    *("probe", "levels", "metric", "unit", "kind", "value", "low", "high", "half", "n"),
    *("variation", *(f"needed_{goal}" for goal in GOALS), "false"),
]


def resolution(
    summaries: pd.DataFrame, factor: str, names: tuple[str, str], within: Sequence[str] = ()
) -> pd.DataFrame:
    """Compare the second with the first of two levels of `factor` in trial summaries (their
    columns: summaries.py), by each metric of each probe at each level of the factors `within`.

    Columns: probe; levels (of `within`, as text); metric, unit; kind (ratio; or difference, of
    metrics that are shares or can be 0 or below); value, low, high of b over a, or of b less a
    [unit], with a 95 % interval; half: its half width [%] (of a difference, of the metric's mean);
    n [rounds]; variation: standard deviation of trials of the same name [%]; needed_5, needed_1:
    rounds at which half would be 5 or 1 %, NaN above 10 000; false: whether the interval leaves out
    that the names are equal. A metric that had the same value in every trial has an interval
    without width, half 0 and needs no rounds (NaN). Left out is what fewer than two rounds compare.
    """
    rows = []
    measurements = Measurements(summaries)
    keys = ["probe", "metric", "unit", *within]
    for (probe, metric, unit, *at), table in summaries.groupby(keys, observed=True, sort=False):
        levels = {name: str(level) for name, level in zip(within, at, strict=True) if level}
        geometric = is_geometric(table["value"].to_numpy(), unit)
        found = evaluate(
            Question(
                quantity="ratio" if geometric else "difference",
                probe=probe,
                metric=metric,
                where=levels,
                of={factor: names[1]},
                to={factor: names[0]},
            ),
            measurements,
            {},
        )
        if found.n < 2:
            continue
        named = {"probe": probe, "levels": " ".join(levels.values()), "metric": metric}
        variation = 100 * _variation(table, factor, geometric)
        mean = abs(table["value"].mean())
        rows.append(named | {"unit": unit} | _width(found, mean, geometric, variation))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _width(found: Estimate, mean: float, geometric: bool, variation: float) -> dict[str, Any]:
    """The columns of one comparison from `kind` on."""
    if geometric:
        width = np.log(found.high / found.low) / 2
        half, goals = np.expm1(width), [np.log1p(goal / 100) for goal in GOALS]
    else:
        width = (found.high - found.low) / 2
        half = width / mean if mean else np.nan if width else 0.0
        goals = [mean * goal / 100 for goal in GOALS]
    needed = [blocks_needed(width, found.n, goal) if width and goal else np.nan for goal in goals]
    return {
        "kind": "ratio" if geometric else "difference",
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "half": 100 * half,
        "n": found.n,
        "variation": variation,
        **{f"needed_{goal}": n for goal, n in zip(GOALS, needed, strict=True)},
        "false": bool(width) and not found.low <= (1 if geometric else 0) <= found.high,
    }


def _variation(table: pd.DataFrame, factor: str, geometric: bool) -> float:
    """Standard deviation of the trials of one name around their mean, pooled over the names, as a
    share of the mean."""
    values = np.log(table["value"]) if geometric else table["value"]
    trials = values.groupby([table[factor], table["block"]], observed=True).mean()
    spread = np.sqrt(trials.groupby(level=0).var().mean())
    if geometric:
        return float(spread)
    mean = abs(table["value"].mean())
    return float(spread / mean) if mean else np.nan if spread else 0.0

"""Comparisons of trials that had the same treatment under two names (A against A). Differences
between them come from the bench, or from chance: an interval without 1 is a false difference. One
in twenty is expected, whether or not comparisons depend on each other. The interval of that share
holds only for independent comparisons."""

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.evaluation import evaluate
from remeasure.paper.analysis.selection import Measurements

FEWEST = 3
"""fewest blocks of a comparison"""
_FIXED = ("block", "trial", "probe", "metric", "unit", "value")


def comparisons(
    summaries: pd.DataFrame,
    factor: str,
    names: tuple[str, str],
    metrics: list[tuple[str, str]],
) -> pd.DataFrame:
    """Ratio of the second to the first of two levels of `factor`, for each of `metrics` (probe and
    metric) and each combination of levels of the other factors, in trial summaries (columns:
    summaries.py). Columns: probe, metric; the other factors; value, low, high, n [blocks], origin,
    false (bool). Comparisons of too few blocks, or without spread, are left out."""
    others = [c for c in summaries.columns if c not in (*_FIXED, factor)]
    rows = []
    measurements = Measurements(summaries)
    for probe, metric in metrics:
        of_metric = summaries["probe"].eq(probe) & summaries["metric"].eq(metric)
        for cell in summaries.loc[of_metric, others].drop_duplicates().to_dict("records"):
            fields = {"probe": probe, "metric": metric}
            question = Question(
                quantity="ratio",
                of={factor: names[1]},
                to={factor: names[0]},
                where={str(other): str(level) for other, level in cell.items()},
                **fields,
            )
            found = evaluate(question, measurements, {})
            if found.n >= FEWEST and found.high > found.low:
                false = not found.low <= 1 <= found.high
                rows.append(fields | cell | found.columns() | {"false": false})
    columns = ["probe", "metric", *others, "value", "low", "high", "n", "origin", "false"]
    return pd.DataFrame(rows, columns=columns)


def false_rates(sources: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row per source (name -> its `comparisons`) and one for `all`. Columns: comparisons,
    false; share, low, high: the false share and its 95 % interval by Clopper and Pearson, 0 to 1;
    NaN without comparisons."""
    counts = {name: (len(table), int(table["false"].sum())) for name, table in sources.items()}
    counts["all"] = (sum(n for n, _ in counts.values()), sum(false for _, false in counts.values()))
    rows = {}
    for name, (n, false) in counts.items():
        low, high = binomtest(false, n).proportion_ci() if n else (np.nan, np.nan)
        rows[name] = (n, false, false / n if n else np.nan, low, high)
    columns = ["comparisons", "false", "share", "low", "high"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)

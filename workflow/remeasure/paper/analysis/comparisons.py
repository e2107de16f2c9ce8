"""Estimates of single cells from trial summaries."""

import pandas as pd

from remeasure.paper.analysis.estimates import (
    is_geometric,
    mean_estimate,
)


def cell_estimates(summaries: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """One row for each cell, probe and metric.

    Columns: the factors, probe, metric, unit; value, low, high [unit], n [blocks], origin
    (Estimate.columns). The value is the geometric mean over blocks; the mean, if a value is 0 or
    below, or a share. The interval is Student's 95 %, on the same scale.
    """
    names, rows = [*factors, "probe", "metric", "unit"], []
    all_values, all_blocks = summaries["value"].to_numpy(), summaries["block"].to_numpy()
    for keys, places in sorted(summaries.groupby(names, observed=True).indices.items()):
        values = all_values[places]
        row = dict(zip(names, keys, strict=True))
        blocks = all_blocks[places]
        geometric = is_geometric(values, row["unit"])
        estimate = mean_estimate(values, geometric)
        cell = {factor: level for factor, level in row.items() if factor not in ("metric", "unit")}
        found = estimate.measured(f"mean {row['metric']}", row["metric"], [cell], blocks)
        rows.append(row | found.columns())
    return pd.DataFrame(rows)

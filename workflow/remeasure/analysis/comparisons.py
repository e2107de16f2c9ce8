"""Estimates of single cells from trial summaries."""

from dataclasses import asdict

import pandas as pd

from remeasure.analysis.estimates import block_bootstrap, blocks_needed, cell_jackknife, mean_of
from remeasure.analysis.lineage import remember


def cell_estimates(
    summaries: pd.DataFrame, factors: list[str], seed: int = 0, few_blocks: bool = False
) -> pd.DataFrame:
    """One row for each cell, probe and metric.

    Columns: the factors, probe, metric, unit; value (mean over blocks), low, high [unit], n
    [blocks]. The interval is from the bootstrap, or Student's if `few_blocks`.
    """
    names, rows = [*factors, "probe", "metric", "unit"], []
    all_values, all_blocks = summaries["value"].to_numpy(), summaries["block"].to_numpy()
    for keys, places in sorted(summaries.groupby(names, observed=True).indices.items()):
        values = all_values[places, None]
        estimate = (
            cell_jackknife(values, lambda means: means[0])
            if few_blocks
            else block_bootstrap(values, mean_of(), seed)
        )
        row = dict(zip(names, keys, strict=True))
        cell = {factor: level for factor, level in row.items() if factor not in ("metric", "unit")}
        remember(estimate, f"mean {row['metric']}", row["metric"], [cell], all_blocks[places])
        rows.append(row | asdict(estimate))
    return pd.DataFrame(rows)


def precision(cells: pd.DataFrame, goal: float) -> pd.DataFrame:
    """The `cells` of `cell_estimates` with three more columns: half_width (half the interval's
    width, divided by the value), within (True if half_width is at most `goal`), and needed (number
    of blocks that would make it so)."""
    half = (cells["high"] - cells["low"]) / 2 / cells["value"]
    needed = [blocks_needed(width, n, goal) for width, n in zip(half, cells["n"], strict=True)]
    return cells.assign(half_width=half, within=half <= goal, needed=needed)

"""How machines that measured blocks of one scenario differ in the level of a metric."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from remeasure.analysis.estimates import Estimate, Estimates, combined, is_geometric
from remeasure.analysis.machine_effect import Machines, labels, lacking, rows_of

_NO_FACTORS = ("block", "trial", "metric", "unit", "value")


class Level(NamedTuple):
    """The level of a metric on one machine: the mean over all cells."""

    machine: str
    blocks: int
    value: float
    """[unit of the metric]"""
    over: float
    """the same over the mean of all machines"""


class Differences(NamedTuple):
    """How machines differ."""

    levels: list[Level]
    mean: Estimate
    """over all machines [unit of the metric]"""
    tau: float
    """standard deviation between machines, beyond what the spread of blocks explains: a share of
    the mean if `geometric`, else in the unit of the metric"""
    share: float
    """share of the variance between the machines' levels that is theirs, 0 to 1 (I squared)"""
    geometric: bool
    """whether means are geometric"""


def machine_differences(
    summaries: pd.DataFrame, metric: str, machines: Machines
) -> Differences | None:
    """How machines differ in `metric` of `summaries` (their columns: summaries.py), over the cells
    that all of them measured. None if there are no such cells; or if one machine measured all
    blocks, or each machine one, so that nothing tells machines from blocks."""
    table = summaries[summaries["metric"] == metric]
    factors = [column for column in table.columns if column not in _NO_FACTORS]
    wide = table.pivot_table(index="block", columns=factors, values="value", observed=True)
    of_blocks = labels(machines, wide.index)
    if of_blocks is None:
        return None
    values = wide.to_numpy()
    values = values[:, ~lacking(values, of_blocks).any(axis=0)]
    if not values.size:
        return None
    geometric = is_geometric(values, table["unit"].iloc[0])
    on_scale = np.log(values) if geometric else values
    every_cell = np.full((values.shape[1], 1), 1 / values.shape[1])
    (together,), means, _ = combined(on_scale, every_cell, of_blocks)
    over = np.exp(means - together.value) if geometric else means / together.value
    found = Estimates(*np.array([together[:3]]).T)
    levels = [
        Level(of_blocks[rows[0]], len(rows), float(np.exp(mean) if geometric else mean), float(one))
        for rows, mean, one in zip(rows_of(of_blocks), means[:, 0], over[:, 0], strict=True)
    ]
    tau = float(np.expm1(together.tau)) if geometric else together.tau
    return Differences(
        levels, found.estimate(len(of_blocks), geometric), tau, together.share, geometric
    )

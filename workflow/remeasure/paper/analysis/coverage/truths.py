"""True levels of simulated cells (simulation.Levels)."""

import numpy as np
import pandas as pd

from remeasure.paper.analysis.coverage.simulation import Levels

Chosen = dict[str, list[str]]
"""factor -> its levels in the chosen cells"""


def flat(*effects: tuple[float, Chosen], at: float | None = None) -> Levels:
    """The same level in every cell, `at` or the mean of the measured ones, but for effects: a
    factor, and the cells that it multiplies."""

    def levels(cells: pd.DataFrame, measured: np.ndarray) -> np.ndarray:
        middle = np.exp(np.log(measured).mean()) if at is None else at
        found = np.full(len(cells), middle)
        for factor, chosen in effects:
            found[_chosen(cells, chosen)] *= factor
        return found

    return levels


def more(amount: float, chosen: Chosen) -> Levels:
    """The mean of the measured levels in every cell, and in the chosen cells so much more [unit of
    the metric]."""
    return lambda cells, measured: measured.mean() + amount * _chosen(cells, chosen)


def as_measured(_: pd.DataFrame, measured: np.ndarray) -> np.ndarray:
    """The levels that were measured."""
    return measured


def line(factor: str, slope: float | None = None, bend: float = 0.0) -> Levels:
    """A line in a factor, with this slope [unit of the metric for each of the factor's] or the
    measured one; bent so that it is off by `bend` of its rise where it is furthest off. It is never
    below a fifth of the mean."""

    def levels(cells: pd.DataFrame, measured: np.ndarray) -> np.ndarray:
        x = cells[factor].astype(float).to_numpy()
        off = x - x.mean()
        steep = off @ measured / (off @ off) if slope is None else slope
        curve = off**2 - np.polyval(np.polyfit(x, off**2, 1), x)
        shape = steep * off + bend * steep * np.ptp(x) * curve / abs(curve).max()
        return max(measured.mean(), -1.25 * shape.min()) + shape

    return levels


def _chosen(cells: pd.DataFrame, chosen: Chosen) -> np.ndarray:
    return np.all([cells[factor].isin(levels) for factor, levels in chosen.items()], axis=0)

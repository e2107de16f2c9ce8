"""The contrasts of cells that a question asks for. Every quantity is one contrast, or the smallest
or largest of several. The smallest of several numbers is above a bound if each of them is, so an
extreme needs no distribution of its own (decisions.py). Sides are matched: we use only cells whose
levels of all other factors occur with every compared level. Otherwise a mean over sizes that one
suite lacks would compare sizes, too."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import ndtri as normal_quantile

from remeasure.bench.claims.questions import LINES, Question

NORMAL_MEDIAN = float(normal_quantile(0.75))
"""median distance from the mean, in standard deviations of a normal distribution"""
Extreme = Literal["min", "max"]


@dataclass(frozen=True)
class Contrasts:
    """The contrasts that a question computes from a table of shape (blocks, cells)."""

    weights: np.ndarray
    """shape (cells, k): one column for each contrast"""
    labels: list[str]
    """for each contrast, the level that distinguishes it; empty if there is one contrast"""
    extreme: Extreme = "max"
    """which of the contrasts is asked; of one contrast either is the same"""
    transform: Callable[[np.ndarray], np.ndarray] = np.asarray
    """applied to the values before their weighted sum"""
    rise: np.ndarray = field(default_factory=lambda: np.empty(0))
    """for departures from a line: contrast of the line's rise, of shape (cells,); else empty"""
    asked: int = 0
    """of an extreme: the number of contrasts in the question"""

    @property
    def complete(self) -> bool:
        """False if cells of a contrast that is asked for are missing."""
        return len(self.labels) >= self.asked


def contrasts(
    test: Question, cells: pd.DataFrame, of: np.ndarray, to: np.ndarray, base: np.ndarray
) -> Contrasts:
    """The contrasts of a question. `cells` has one row per cell and one column per factor; `of`,
    `to` and `base` are boolean arrays that choose cells. A quantity with logarithms needs
    logarithms of values. The contrasts have no labels if no cells match. Raises ValueError if a
    level that must be a number is none."""
    if test.quantity in LINES:
        return _line(test, cells, of)
    if test.quantity == "variation":
        return Contrasts(_mean(of)[:, None], [""], transform=_distances)
    if test.quantity == "excess":
        # The ratio of two contrasts is not one; see estimators.py.
        of, to, base = _matched(cells, test.contrasted, of, to, base)
        sides = [_mean(of) - _mean(base), _mean(to) - _mean(base)] if of.any() else []
        return Contrasts(np.array(sides).reshape(-1, len(cells)).T, [""] * len(sides))
    columns: dict[str, np.ndarray] = {}
    for label, here, there in _parts(test, cells, of, to):
        if test.quantity == "level":
            columns[label] = _mean(here)
        elif test.quantity in ("difference", "ratio"):
            columns |= _difference(test, cells, label, here, there)
        else:
            rivals = cells[test.among]
            for rival in dict.fromkeys(rivals[there]):
                other = there & (rivals == rival).to_numpy()
                columns |= _difference(test, cells, f"{label} {rival}".strip(), here, other)
    extreme: Extreme = "min" if test.quantity == "lead" or test.reduce == "min" else "max"
    weights = np.column_stack([np.empty((len(cells), 0)), *columns.values()])
    if columns and test.reduce == "mean" and test.quantity not in ("lead", "trail"):
        return Contrasts(weights.mean(axis=1, keepdims=True), [""], extreme)
    return Contrasts(weights, list(columns), extreme)


def _difference(
    test: Question, cells: pd.DataFrame, label: str, here: np.ndarray, there: np.ndarray
) -> dict[str, np.ndarray]:
    """The contrast of two sides under its label; empty if no cells match."""
    here, there = _matched(cells, test.contrasted, here, there)
    return {label: _mean(here) - _mean(there)} if here.any() else {}


def _matched(cells: pd.DataFrame, compared: set[str], *sides: np.ndarray) -> list[np.ndarray]:
    """The sides without unmatched cells. Levels of factors outside `compared` are kept if each side
    has them with every combination of its compared levels."""
    rest = _numbered(cells, [factor for factor in cells if factor not in compared])
    these = _numbered(cells, [factor for factor in cells if factor in compared])
    kept = np.ones(len(cells), dtype=bool)
    for side in sides:
        each = these[side].groupby(rest[side]).nunique()
        kept &= rest.isin(each.index[each == these[side].nunique()]).to_numpy()
    return [side & kept for side in sides]


def _numbered(cells: pd.DataFrame, factors: list[str]) -> pd.Series:
    """For each cell a number of its levels of `factors`."""
    return cells.groupby(factors).ngroup() if factors else pd.Series(0, cells.index)


def _parts(
    test: Question, cells: pd.DataFrame, of: np.ndarray, to: np.ndarray
) -> list[tuple[str, np.ndarray, np.ndarray]]:
    over = test.over
    if over is None:
        return [("", of, to)]
    if over == "cells":
        singles = [(i, np.arange(len(cells)) == i) for i in np.flatnonzero(of)]
        return [(" ".join(cells.iloc[i]), single, single) for i, single in singles]
    # A size at which one of the two was not measured allows no comparison.
    levels = [level for level in dict.fromkeys(cells[over][of]) if level in set(cells[over][to])]
    at = {level: (cells[over] == level).to_numpy() for level in levels}
    return [(f"{over} {level}", of & here, to & here) for level, here in at.items()]


def _line(test: Question, cells: pd.DataFrame, of: np.ndarray) -> Contrasts:
    levels = list(dict.fromkeys(cells[test.over][of]))
    try:
        x = np.array([float(level) for level in levels])
    except ValueError:
        raise ValueError(f"{test.over}: a level is no number: {', '.join(levels)}") from None
    if test.along == "logarithm":
        x = np.log(x)
    sides = [of & (cells[test.over] == level).to_numpy() for level in levels]
    sides = _matched(cells, {str(test.over)}, *sides)
    if not sides[0].any():
        return Contrasts(np.empty((len(cells), 0)), [])
    at = np.column_stack([_mean(side) for side in sides])
    off = x - x.mean()
    slope = at @ (off / (off**2).sum())
    middle = at.mean(axis=1)
    if test.quantity == "intercept":
        return Contrasts((middle - slope * x.mean())[:, None], [""])
    if test.quantity != "straightness":
        return Contrasts(slope[:, None], [""])
    departures = at - (middle[:, None] + np.outer(slope, off))
    both = np.column_stack([departures, -departures])
    return Contrasts(
        both,
        [f"{test.over} {level} {side}" for side in ("above", "below") for level in levels],
        rise=slope * np.ptp(x),
    )


def _mean(mask: np.ndarray) -> np.ndarray:
    return mask / mask.sum()


def _distances(values: np.ndarray) -> np.ndarray:
    """Distance of each block from the median of its cell. If the spread is normal, the median
    distance is the standard deviation."""
    n = np.isfinite(values).sum(axis=-2, keepdims=True)
    off = np.abs(values - np.nanmedian(values, axis=-2, keepdims=True))
    # A single value has no deviation.
    with np.errstate(divide="ignore", invalid="ignore"):
        return off * np.sqrt(n / (n - 1.0)) / NORMAL_MEDIAN

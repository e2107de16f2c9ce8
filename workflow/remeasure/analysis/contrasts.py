"""The contrasts of cells that a question asks for.

Every quantity is one contrast, or several of which the smallest or the largest is asked. To ask of
an extreme is to ask of all: the smallest of several numbers is above a bound if each of them is.
So an extreme needs no distribution of its own (see decisions.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import ndtri as normal_quantile

from remeasure.claims.questions import LINES, Question

NORMAL_MEDIAN = float(normal_quantile(0.75))
"""median distance from the mean, in standard deviations of a normal distribution"""
Extreme = Literal["min", "max"]


@dataclass(frozen=True)
class Contrasts:
    """What a question computes from a table of shape (blocks, cells)."""

    weights: np.ndarray
    """shape (cells, k): one column for each contrast"""
    labels: list[str]
    """for each contrast, the level that sets it apart; empty if there is one contrast"""
    extreme: Extreme = "max"
    """which of the contrasts is asked; of one contrast either is the same"""
    transform: Callable[[np.ndarray], np.ndarray] = np.asarray
    """applied to the values before their weighted sum"""
    rise: np.ndarray = field(default_factory=lambda: np.empty(0))
    """for departures from a line: contrast of the line's rise, of shape (cells,); else empty"""


def contrasts(
    test: Question, cells: pd.DataFrame, of: np.ndarray, to: np.ndarray, base: np.ndarray
) -> Contrasts:
    """The contrasts of a question.

    `cells` has one row for each cell and one column for each factor; `of`, `to` and `base` are
    boolean arrays that choose among the cells. A quantity with logarithms gets the logarithms of
    values. Raises ValueError if a level that has to be a number is none.
    """
    if test.quantity in LINES:
        return _line(test, cells, of)
    if test.quantity == "share":
        return Contrasts(_mean(of)[:, None], [""], transform=_inside(test.between))
    if test.quantity == "variation":
        return Contrasts(_mean(of)[:, None], [""], transform=_distances)
    if test.quantity == "excess":
        # The ratio of two contrasts is not one; see quotients.py.
        return Contrasts(
            np.column_stack([_mean(of) - _mean(base), _mean(to) - _mean(base)]), ["", ""]
        )
    columns: dict[str, np.ndarray] = {}
    for label, here, there in _parts(test.over, cells, of, to):
        if test.quantity == "level":
            columns[label] = _mean(here)
        elif test.quantity in ("difference", "ratio"):
            columns[label] = _mean(here) - _mean(there)
        else:
            rivals = cells[test.among]
            for rival in dict.fromkeys(rivals[there]):
                columns[f"{label} {rival}".strip()] = _mean(here) - _mean(
                    there & (rivals == rival).to_numpy()
                )
    return _reduced(test, columns, len(cells))


def _reduced(test: Question, columns: dict[str, np.ndarray], cells: int) -> Contrasts:
    extreme: Extreme = "min" if test.quantity == "lead" or test.reduce == "min" else "max"
    if not columns:
        return Contrasts(np.empty((cells, 0)), [], extreme)
    weights = np.column_stack(list(columns.values()))
    if test.reduce == "range":
        pairs = [(a, b) for a in columns for b in columns if a != b]
        return Contrasts(
            np.column_stack([columns[a] - columns[b] for a, b in pairs]),
            [f"{a} less {b}" for a, b in pairs],
            "max",
        )
    if test.reduce == "mean" and test.quantity not in ("lead", "trail"):
        return Contrasts(weights.mean(axis=1, keepdims=True), [""], extreme)
    return Contrasts(weights, list(columns), extreme)


def _parts(
    over: str | None, cells: pd.DataFrame, of: np.ndarray, to: np.ndarray
) -> list[tuple[str, np.ndarray, np.ndarray]]:
    if over is None:
        return [("", of, to)]
    if over == "cells":
        singles = [(i, np.arange(len(cells)) == i) for i in np.flatnonzero(of)]
        return [(" ".join(cells.iloc[i]), single, single) for i, single in singles]
    # A size at which a profile did not measure one of the two allows no comparison.
    levels = [level for level in dict.fromkeys(cells[over][of]) if level in set(cells[over][to])]
    at = {level: (cells[over] == level).to_numpy() for level in levels}
    return [(f"{over} {level}", of & here, to & here) for level, here in at.items()]


def _line(test: Question, cells: pd.DataFrame, of: np.ndarray) -> Contrasts:
    levels = list(dict.fromkeys(cells[test.over][of]))
    try:
        x = np.array([float(level) for level in levels])
    except ValueError:
        raise ValueError(f"{test.over}: a level is no number: {', '.join(levels)}") from None
    if test.quantity == "step_slope":
        x = x.argsort().argsort() + 1.0
    if test.along == "logarithm":
        x = np.log(x)
    at = np.column_stack([_mean(of & (cells[test.over] == level).to_numpy()) for level in levels])
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


def _inside(ranges: list[tuple[float, float]]) -> Callable[[np.ndarray], np.ndarray]:
    def indicate(values: np.ndarray) -> np.ndarray:
        inside = np.any([(low <= values) & (values <= high) for low, high in ranges], axis=0)
        return np.where(np.isnan(values), np.nan, inside.astype(float))

    return indicate


def _distances(values: np.ndarray) -> np.ndarray:
    """Distance of each block from the median of its cell; if the spread is normal, the median
    distance is the standard deviation."""
    n = np.isfinite(values).sum(axis=-2, keepdims=True)
    off = np.abs(values - np.nanmedian(values, axis=-2, keepdims=True))
    # Of a single value there is no deviation.
    with np.errstate(divide="ignore", invalid="ignore"):
        return off * np.sqrt(n / (n - 1.0)) / NORMAL_MEDIAN

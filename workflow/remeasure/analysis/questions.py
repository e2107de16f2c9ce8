"""Quantities of cells, written as data: what a claim, a table or a figure asks about."""

import re
from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from remeasure.config import Strict

Levels = dict[str, str | int | list[str | int]]
"""factor -> a level, several levels, or the name of a group in the study's file"""
EXPECT = re.compile(r"([<>]) (-?[\d.]+)|(-?[\d.]+) to (-?[\d.]+)")
Expect = Annotated[str, Field(pattern=EXPECT.pattern)]
"""bounds as text: '> 1', '< 90', '0.9 to 1.1'"""
LOGARITHMIC = ("ratio", "lead", "trail")
"""quantities computed from logarithms, which makes them ratios of geometric means"""
LINES = ("slope", "intercept", "step_slope", "linearity", "log_fit")


class Question(Strict):
    """One quantity of the cells chosen by `where` and `of`.

    level: their mean.
    difference: their mean less the mean of the cells chosen by `to`.
    ratio: their mean over that of the cells chosen by `to`; geometric means, so that fast cells do
        not weigh more.
    lead, trail: ratio to the largest, smallest among the levels that `among` has in `to`.
    excess: ratio of how far `of` and `to` are above the cells chosen by `base`.
    slope: slope of a straight line through the means, by the numbers that the levels of `over` are.
    intercept: value of that line at 0.
    step_slope: slope by the rank of the levels, as a chart with equal distances shows it.
    linearity: share of the variance that the straight line explains (R squared).
    log_fit: R squared of a line over the logarithm of the numbers, less that of the straight line.
    share: share of the cells whose mean is in one of the ranges `between`.
    The first five are taken at each level of `over`, or at each cell (`over: cells`), and reduced.
    """

    quantity: Literal[
        "level",
        "difference",
        "ratio",
        "lead",
        "trail",
        "excess",
        "slope",
        "intercept",
        "step_slope",
        "linearity",
        "log_fit",
        "share",
    ] = "level"
    """what is computed from the means of cells; see the description of a question"""
    metric: str
    """metric of the probe"""
    probe: str | None = None
    """name of the probe in the scenario; null: any probe that has the metric"""
    where: Levels = {}
    """levels that all cells of the question have"""
    of: Levels = {}
    """levels of the cells asked about"""
    to: Levels = {}
    """levels of the cells they are compared with"""
    base: Levels = {}
    """levels of the cells from which an excess is counted"""
    among: str | None = None
    """factor whose levels a lead or a trail compares with each other"""
    over: str | None = None
    """factor at each of whose levels the quantity is taken; `cells`: at each cell"""
    reduce: Literal["mean", "min", "max", "range"] = "mean"
    """how the values at several levels become one number"""
    between: list[tuple[float, float]] = []
    """ranges that a share counts: lowest and highest value of each"""
    scale: float = 1
    """factor that converts the estimate to `unit`"""
    unit: str = ""
    """unit of the estimate"""
    study: str | None = None
    """number that the study prints for this quantity, or a formula over the values of the entry at
    the same place (else the last) of the claim's `arithmetic`"""
    expect: Expect | None = None
    """bounds that confirm the statement, such as "> 1"; absent if the study gives none or
    contradicts itself"""


def bounds(expect: str) -> tuple[float, float]:
    """The lower and upper bound in a text like '> 1' or '0.9 to 1.1'; either may be infinite."""
    match = EXPECT.fullmatch(expect)
    if match is None:
        raise ValueError(f"found {expect!r}, expected bounds such as '> 1' or '0.9 to 1.1'")
    sign, bound, least, most = match.groups()
    if sign == ">":
        return float(bound), np.inf
    return (-np.inf, float(bound)) if sign == "<" else (float(least), float(most))


def statistic(
    test: Question, cells: pd.DataFrame, of: np.ndarray, to: np.ndarray, base: np.ndarray
) -> Callable[[np.ndarray], float]:
    """The question as a function of the cells' means (of their logarithms, for ratios).

    `cells` has one row for each cell and one column for each factor; `of`, `to` and `base` are
    boolean arrays that choose among the cells.
    """
    if test.quantity == "share":
        return lambda means: float(
            np.mean([any(low <= mean <= high for low, high in test.between) for mean in means[of]])
        )
    if test.quantity == "excess":
        return lambda means: (
            (means[of].mean() - means[base].mean()) / (means[to].mean() - means[base].mean())
        )
    if test.quantity in LINES:
        levels = dict.fromkeys(cells[test.over][of])
        parts = [of & (cells[test.over] == level).to_numpy() for level in levels]
        return _line(test.quantity, np.array([float(level) for level in levels]), parts)

    def one(means: np.ndarray, of: np.ndarray, to: np.ndarray) -> float:
        if test.quantity == "level":
            return means[of].mean()
        if test.quantity in ("difference", "ratio"):
            return means[of].mean() - means[to].mean()
        rivals = [
            means[to & (cells[test.among] == level).to_numpy()].mean()
            for level in dict.fromkeys(cells[test.among][to])
        ]
        return means[of].mean() - (max(rivals) if test.quantity == "lead" else min(rivals))

    reductions: dict[str, Callable] = {
        "mean": np.mean,
        "min": np.min,
        "max": np.max,
        "range": np.ptp,
    }
    reduce = reductions[test.reduce]
    parts = _parts(test.over, cells, of, to)
    return lambda means: float(reduce([one(means, *part) for part in parts]) if parts else np.nan)


def _parts(
    over: str | None, cells: pd.DataFrame, of: np.ndarray, to: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    if over is None:
        return [(of, to)]
    if over == "cells":
        singles = [np.arange(len(cells)) == i for i in np.flatnonzero(of)]
        return [(single, single) for single in singles]
    # A size at which a profile did not measure one of the two allows no comparison.
    levels = [level for level in dict.fromkeys(cells[over][of]) if level in set(cells[over][to])]
    return [
        (of & (cells[over] == level).to_numpy(), to & (cells[over] == level).to_numpy())
        for level in levels
    ]


def _line(
    quantity: str, numbers: np.ndarray, parts: list[np.ndarray]
) -> Callable[[np.ndarray], float]:
    def fit(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        """Slope and R squared of the least-squares line."""
        dx, dy = x - x.mean(), y - y.mean()
        covariance = (dy * dx).sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            return covariance / (dx**2).sum(), covariance**2 / ((dx**2).sum() * (dy**2).sum())

    def of_means(means: np.ndarray) -> float:
        y = np.array([means[part].mean() for part in parts])
        if quantity == "step_slope":
            return fit(numbers.argsort().argsort() + 1.0, y)[0]
        slope, linear = fit(numbers, y)
        if quantity == "log_fit":
            return fit(np.log(numbers), y)[1] - linear
        if quantity == "intercept":
            return y.mean() - slope * numbers.mean()
        return slope if quantity == "slope" else linear

    return of_means

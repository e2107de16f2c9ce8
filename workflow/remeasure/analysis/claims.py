"""Statements of a study, asked again of our own trials.

A claim has tests; a test is a quantity of chosen cells and what the study would have it be. The
verdict of a test is `supported` if the whole interval of the estimate is as expected, `refuted` if
none of it is, else `inconclusive`. A claim is supported if all of its tests are, refuted if one is.
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from remeasure.analysis.estimates import Estimate, cell_bootstrap
from remeasure.config import Strict
from remeasure.errors import UserError

Levels = dict[str, str | int | list[str | int]]
"""factor -> a level, several, or the name of a group of the study's file"""
_EXPECT = re.compile(r"([<>]) (-?[\d.]+)|(-?[\d.]+) to (-?[\d.]+)")
Verdict = Literal["supported", "refuted", "inconclusive", ""]


class Question(Strict):
    """One quantity of the cells chosen by `where` and `of`.

    level: their mean. ratio: over the mean of the cells chosen by `to`. difference: likewise.
    slope: of a straight line through the means by the numbers that the levels of `over` are.
    lead, trail: ratio of the mean of `of` to the largest, smallest of `to` at the levels of `over`.
    step_slope: the same by their rank, as a chart of unequal sizes at equal distances shows it.
    log_fit: how much more of the variance a line over the logarithm of those numbers explains.
    share: of the cells, those whose mean is in one of the ranges `between`.
    With `over`, level and ratio are taken at each of its levels and reduced to one.
    """

    quantity: Literal["level", "ratio", "difference", "slope", "step_slope", "log_fit", "share",
                      "lead", "trail"] = "level"
    metric: str
    probe: str | None = None
    where: Levels = {}
    of: Levels = {}
    to: Levels = {}
    over: str | None = None
    reduce: Literal["mean", "min", "max", "range"] = "mean"
    between: list[tuple[float, float]] = []
    scale: float = 1
    """multiplies the estimate, for its unit"""
    unit: str = ""
    expect: Annotated[str, Field(pattern=_EXPECT.pattern)] | None = None
    """'> 1', '< 90', '0.9 to 1.1'; absent where the study contradicts itself"""


class Claim(Strict):
    """One checkable statement."""

    id: str
    says: str
    published: str = ""
    """numbers that the study gives for it"""
    note: str = ""
    """what in it is unstated or contradicts itself"""
    tests: list[Question] = []
    not_testable: str = ""
    """why there are no tests"""


def answer(claims: list[Claim], summaries: pd.DataFrame, groups: Mapping[str, dict], seed: int = 0,
           **instead: str) -> pd.DataFrame:
    """One row a test: id, says, published, note, quantity (in words), value, low, high, n, unit,
    expect, verdict. `instead` sets other levels than the claims have (a sensitivity analysis).

    Raises UserError naming a claim that asks of a factor that is not one.
    """
    rows = []
    for claim in claims:
        for test in claim.tests:
            where = test.where | {k: v for k, v in instead.items() if k in test.where}
            try:
                estimate = evaluate(test.model_copy(update={"where": where}), summaries, groups,
                                    seed)
            except ValueError as error:
                raise UserError(f"claim {claim.id}: {error}") from None
            rows.append({
                "id": claim.id, "says": claim.says, "published": claim.published,
                "note": claim.note, "quantity": in_words(test), "value": estimate.value,
                "low": estimate.low, "high": estimate.high, "n": estimate.n, "unit": test.unit,
                "expect": test.expect or "", "verdict": verdict(estimate, test.expect)})
    return pd.DataFrame(rows)


def verdicts(answers: pd.DataFrame) -> pd.Series:
    """Claim -> verdict over all its tests; '' for a claim that expects nothing."""
    def of_claim(found: pd.Series) -> str:
        found = set(found) - {""}
        for worst in ("refuted", "inconclusive", "supported"):
            if worst in found:
                return worst
        return ""

    return answers.groupby("id", sort=False)["verdict"].agg(of_claim)


def verdict(estimate: Estimate, expect: str | None) -> Verdict:
    """Where the interval lies. Without an interval nothing is decided."""
    if expect is None:
        return ""
    sign, bound, least, most = _EXPECT.fullmatch(expect).groups()
    if sign == ">":
        least, most = float(bound), np.inf
    elif sign == "<":
        least, most = -np.inf, float(bound)
    else:
        least, most = float(least), float(most)
    if estimate.low > least and estimate.high < most:
        return "supported"
    if estimate.low > most or estimate.high < least:
        return "refuted"
    return "inconclusive"


def evaluate(test: Question, summaries: pd.DataFrame, groups: Mapping[str, dict],
             seed: int = 0) -> Estimate:
    """NaN, from 0 blocks, where a choice matches no cell that was measured.

    Raises ValueError for a factor that is not one.
    """
    table = summaries[summaries["metric"] == test.metric]
    if test.probe:
        table = table[table["probe"] == test.probe]
    factors = [c for c in table.columns if c not in ("block", "trial", "metric", "unit", "value")]
    wide = table.pivot_table(index="block", columns=factors, values="value", observed=True)
    cells = wide.columns.to_frame(index=False).astype(str)
    base = _chosen(cells, test.where, groups)
    of = base & _chosen(cells, test.of, groups)
    to = base & _chosen(cells, test.to, groups) if test.to else of
    if not of.any() or not to.any():
        return Estimate(np.nan, np.nan, np.nan, 0)
    estimate = cell_bootstrap(wide.to_numpy(), _statistic(test, cells, of, to), seed)
    return Estimate(estimate.value * test.scale, estimate.low * test.scale,
                    estimate.high * test.scale, estimate.n)


def _chosen(cells: pd.DataFrame, levels: Levels, groups: Mapping[str, dict]) -> np.ndarray:
    mask = np.ones(len(cells), dtype=bool)
    for factor, wanted in levels.items():
        if factor not in cells:
            raise ValueError(f"no factor {factor!r}; known: {', '.join(cells)}")
        wanted = groups.get(factor, {}).get(wanted, wanted) if isinstance(wanted, str) else wanted
        wanted = wanted if isinstance(wanted, list) else [wanted]
        mask &= cells[factor].isin([str(level) for level in wanted]).to_numpy()
    return mask


def _statistic(test: Question, cells: pd.DataFrame, of: np.ndarray,
               to: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    if test.quantity == "share":
        return lambda means: np.mean(
            [np.any([(means[..., i] >= low) & (means[..., i] <= high)
                     for low, high in test.between], axis=0) for i in np.flatnonzero(of)], axis=0)
    if test.quantity in ("lead", "trail"):
        rivals = [to & (cells[test.over] == level).to_numpy()
                  for level in dict.fromkeys(cells[test.over][to])]
        pick = np.max if test.quantity == "lead" else np.min
        return lambda means: means[..., of].mean(axis=-1) / pick(
            [means[..., rival].mean(axis=-1) for rival in rivals], axis=0)
    if test.over is None:
        parts = [(of, to)]
    else:
        levels = dict.fromkeys(cells[test.over][of])
        parts = [(of & (cells[test.over] == level).to_numpy(),
                  to & (cells[test.over] == level).to_numpy()) for level in levels]
        if test.quantity in ("slope", "step_slope", "log_fit"):
            return _line(test.quantity, np.array([float(level) for level in levels]),
                         [part for part, _ in parts])

    def one(means: np.ndarray, of: np.ndarray, to: np.ndarray) -> np.ndarray:
        above = means[..., of].mean(axis=-1)
        if test.quantity == "level":
            return above
        below = means[..., to].mean(axis=-1)
        return above / below if test.quantity == "ratio" else above - below

    reduce = {"mean": np.mean, "min": np.min, "max": np.max, "range": np.ptp}[test.reduce]
    return lambda means: reduce([one(means, of, to) for of, to in parts], axis=0)


def _line(quantity: str, numbers: np.ndarray,
          parts: list[np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    def fit(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slope and R squared of least-squares lines; y has shape (..., points)."""
        dx, dy = x - x.mean(), y - y.mean(axis=-1, keepdims=True)
        covariance, sxx, syy = (dy * dx).sum(axis=-1), (dx**2).sum(), (dy**2).sum(axis=-1)
        return covariance / sxx, covariance**2 / (sxx * syy)

    def statistic(means: np.ndarray) -> np.ndarray:
        y = np.stack([means[..., part].mean(axis=-1) for part in parts], axis=-1)
        if quantity == "step_slope":
            return fit(numbers.argsort().argsort() + 1.0, y)[0]
        slope, linear = fit(numbers, y)
        return slope if quantity == "slope" else fit(np.log(numbers), y)[1] - linear

    return statistic


def in_words(test: Question) -> str:
    """'ratio of goodput, payload small to payload large; transport udp'"""
    def words(levels: Levels) -> str:
        return ", ".join(f"{factor} {'/'.join(map(str, v)) if isinstance(v, list) else v}"
                         for factor, v in levels.items())

    text = "" if test.quantity == "level" else f"{test.quantity.replace('_', ' ')} of "
    text += test.metric
    if test.of:
        text += f", {words(test.of)}"
    if test.to:
        text += f" to {words(test.to)}"
    if test.over:
        text += f", {'by' if test.reduce == 'mean' else test.reduce + ' over'} {test.over}"
    if test.where:
        text += f"; {words(test.where)}"
    return text

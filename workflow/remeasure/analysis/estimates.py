"""Point estimates with intervals, by resampling whole blocks.

The interval is the expanded percentile interval (Hesterberg, "What Teachers Should Know About the
Bootstrap", The American Statistician 69(4), 2015): percentiles further out than the nominal ones,
by what a t quantile exceeds a normal one and a sample variance falls short, without which few
blocks give intervals that are too short.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

RESAMPLES = 9999
Statistic = Callable[[np.ndarray], np.ndarray]
"""maps an array of shape (..., blocks, levels) to shape (...)"""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval, from `n` blocks."""

    value: float
    low: float
    high: float
    n: int


def block_bootstrap(blocks: np.ndarray, statistic: Statistic, seed: int = 0) -> Estimate:
    """Estimate `statistic` from an array of shape (blocks, levels); rows are resampled whole.

    With fewer than two blocks the interval is not defined (NaN).
    """
    blocks = np.asarray(blocks, dtype=float)
    n = len(blocks)
    value = float(statistic(blocks)) if n else float("nan")
    if n < 2:
        return Estimate(value, float("nan"), float("nan"), n)
    picks = np.random.default_rng(seed).integers(0, n, size=(RESAMPLES, n))
    replicates = statistic(blocks[picks])
    low, high = np.quantile(replicates, _expanded_levels(n))
    return Estimate(value, float(low), float(high), n)


def mean_of(column: int = 0) -> Statistic:
    """Mean over blocks of one level."""
    return lambda blocks: blocks[..., column].mean(axis=-1)


def median_of(column: int = 0) -> Statistic:
    """Median over blocks of one level."""
    return lambda blocks: np.median(blocks[..., column], axis=-1)


def difference(blocks: np.ndarray) -> np.ndarray:
    """Mean of the second level minus mean of the first."""
    return blocks[..., 1].mean(axis=-1) - blocks[..., 0].mean(axis=-1)


def ratio(blocks: np.ndarray) -> np.ndarray:
    """Mean of the second level over mean of the first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return blocks[..., 1].mean(axis=-1) / blocks[..., 0].mean(axis=-1)


def _expanded_levels(n: int, level: float = 0.95) -> tuple[float, float]:
    tail = stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf((1 - level) / 2, n - 1))
    return float(tail), float(1 - tail)


def cell_bootstrap(blocks: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray],
                   seed: int = 0) -> Estimate:
    """Estimate a function of the cells' means from an array of shape (blocks, cells), NaN where a
    block lacks a cell. `statistic` maps means of shape (..., cells) to (...); blocks are resampled
    whole, as in `block_bootstrap`.
    """
    blocks = np.asarray(blocks, dtype=float)
    n = len(blocks)
    there, filled = np.isfinite(blocks).astype(float), np.nan_to_num(blocks)

    def means(weights: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return (weights @ filled) / (weights @ there)

    value = float(statistic(means(np.ones(n)))) if n else float("nan")
    if n < 2:
        return Estimate(value, float("nan"), float("nan"), n)
    weights = np.random.default_rng(seed).multinomial(n, [1 / n] * n, size=RESAMPLES)
    # A resample without any block that has a cell says nothing of it.
    low, high = np.nanquantile(statistic(means(weights)), _expanded_levels(n))
    return Estimate(value, float(low), float(high), n)

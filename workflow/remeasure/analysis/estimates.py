"""Point estimates with intervals, from whole blocks: by bootstrap or, for few blocks, by jackknife.

The interval of the bootstrap is the expanded percentile interval (Hesterberg, "What Teachers Should
Know About the Bootstrap", The American Statistician 69(4), 2015): its percentiles lie further out
than the nominal ones, by the excess of a t quantile over a normal one and the bias of a sample
variance. Without the expansion, few blocks give intervals that are too short.
"""

import bisect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr as normal_share
from scipy.special import stdtrit as student_quantile

RESAMPLES = 9999
Statistic = Callable[[np.ndarray], np.ndarray]
"""function that maps an array of shape (..., blocks, levels) to shape (...)"""


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
    """The statistic that takes the mean over blocks of one level."""
    return lambda blocks: blocks[..., column].mean(axis=-1)


def difference(blocks: np.ndarray) -> np.ndarray:
    """Mean of the second level minus mean of the first."""
    return blocks[..., 1].mean(axis=-1) - blocks[..., 0].mean(axis=-1)


def ratio(blocks: np.ndarray) -> np.ndarray:
    """Mean of the second level divided by mean of the first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return blocks[..., 1].mean(axis=-1) / blocks[..., 0].mean(axis=-1)


def _expanded_levels(n: int, level: float = 0.95) -> tuple[float, float]:
    tail = normal_share(np.sqrt(n / (n - 1)) * student_quantile(n - 1, (1 - level) / 2))
    return float(tail), float(1 - tail)


def cell_jackknife(
    blocks: np.ndarray, statistic: Callable[[np.ndarray], float], logarithms: bool = False
) -> Estimate:
    """Estimate a function of cells' means from an array of shape (blocks, cells).

    `statistic` maps means of shape (cells,) to a number. With `logarithms` it gets means of
    logarithms, and its result is exponentiated: a difference becomes a ratio of geometric means.
    The interval is Student's, from the pseudo-values of leaving out one block at a time; for a
    linear statistic it is the paired t interval. With few blocks it is wide, where resampling could
    only repeat the extremes. Blocks that lack a cell are left out: every comparison is within
    blocks. With fewer than two blocks the interval is not defined (NaN).
    """
    blocks = np.asarray(blocks, dtype=float)
    if logarithms:
        with np.errstate(divide="ignore", invalid="ignore"):
            blocks = np.log(blocks)
    blocks = blocks[np.isfinite(blocks).all(axis=1)]
    n, back = len(blocks), np.exp if logarithms else float
    if n == 0:
        return Estimate(np.nan, np.nan, np.nan, 0)
    value = statistic(blocks.mean(axis=0))
    if n == 1:
        return Estimate(float(back(value)), np.nan, np.nan, 1)
    without = [statistic(np.delete(blocks, i, axis=0).mean(axis=0)) for i in range(n)]
    pseudo = n * value - (n - 1) * np.array(without)
    half = student_quantile(n - 1, 0.975) * pseudo.std(ddof=1) / np.sqrt(n)
    low, high = float(back(value - half)), float(back(value + half))
    return Estimate(float(back(value)), low, high, n)


def blocks_needed(half_width: float, n: int, goal: float, most: int = 10_000) -> float:
    """Number of blocks at which Student's interval of a mean has the half width `goal`, if further
    blocks vary as much as the `n` blocks whose interval had `half_width`. NaN if it is over
    `most`."""
    deviation = half_width * np.sqrt(n) / student_quantile(n - 1, 0.975)

    def enough(count: int) -> bool:
        return student_quantile(count - 1, 0.975) * deviation / np.sqrt(count) <= goal

    # More blocks make the interval narrower, so every count from the first sufficient one suffices.
    count = 2 + bisect.bisect_left(range(2, most + 1), True, key=enough)
    return float(count) if count <= most else float("nan")

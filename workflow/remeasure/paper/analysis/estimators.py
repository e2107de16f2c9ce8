"""Estimates over blocks other than Student's mean: medians, quotients of contrasts, sign flips. The
`estimator` within a trial is in summaries.py."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import bdtr as binomial_share
from scipy.special import stdtrit as student_quantile

from remeasure.paper.analysis import estimates


@dataclass(frozen=True)
class Medians(estimates.Estimates):
    """Medians of numbers that are not below 0. Their `error` and `df` are NaN."""

    each: np.ndarray
    """the numbers of the blocks, of shape (..., blocks, k)"""

    def p_above(self, bound: float) -> np.ndarray:
        return self._share(self.each <= bound)

    def p_below(self, bound: float) -> np.ndarray:
        return self._share(self.each >= bound)

    def _share(self, against: np.ndarray) -> np.ndarray:
        return _at_most(against.sum(axis=-2), np.isfinite(self.each).sum(axis=-2))

    def interval(self, together: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """From one block's number to another's. With fewer than six blocks it goes from 0 to the
        largest number, with fewer than five it has no end."""
        outside = estimates.beyond(together)
        n = self.each.shape[-2]
        inner = [place for place in range(n // 2) if _at_most(place, n) <= outside]
        ordered = np.sort(self.each, axis=-2)
        if inner:
            return ordered[..., inner[-1], :], ordered[..., n - 1 - inner[-1], :]
        end = ordered[..., -1, :] if 0.5**n <= 2 * outside else np.full_like(self.value, np.inf)
        return np.zeros_like(self.value), end


def median_estimates(values: np.ndarray, weights: np.ndarray) -> Medians:
    """Medians over blocks of a weighted mean of cells. `values` has the shape (..., blocks, cells),
    and `weights`, none of them below 0, (cells, k). Blocks that lack a cell are left out, and
    allowed only without leading axes."""
    each = values @ weights
    if each.ndim == 2:
        each = each[np.isfinite(each).all(axis=-1)]
    value = np.median(each, axis=-2) if each.shape[-2] else np.full(weights.shape[1], np.nan)
    return Medians(value, np.full_like(value, np.nan), np.full_like(value, np.nan), each)


def _at_most(count: np.ndarray | int, n: np.ndarray | int) -> np.ndarray:
    """Chance that at most `count` of n blocks are on one side of the median."""
    return binomial_share(count, n, 0.5)


@dataclass(frozen=True)
class Quotients(estimates.Estimates):
    """Ratios of contrasts to a positive denominator. `value` has the shape (..., k), and so have
    the fields below, with a last axis of 1 for fields of the denominator. `error` belongs to the
    numerator."""

    below: np.ndarray
    """the denominator"""
    below_error: np.ndarray
    covariance: np.ndarray
    """of the estimates of numerator and denominator"""

    def interval(self, together: int = 1) -> tuple[np.ndarray, np.ndarray]:
        quantile = student_quantile(self.df, 1 - estimates.beyond(together))
        # Ends solve (value - bound)^2 x below^2 = quantile^2 x variance(bound): a x^2 - 2 b x + c =
        # 0.
        a = self.below**2 - (quantile * self.below_error) ** 2
        b = self.value * self.below**2 - quantile**2 * self.covariance
        c = (self.value * self.below) ** 2 - (quantile * self.error) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            half = np.sqrt((b**2 - a * c).clip(min=0)) / a
            middle = b / a
        bounded = np.where(np.isnan(a), np.nan, 1.0)
        low = np.where(a > 0, middle - half, -np.inf * bounded)
        return low, np.where(a > 0, middle + half, np.inf * bounded)

    def distance(self, bound: float | np.ndarray) -> np.ndarray:
        """Distance of the ratios from a bound [standard errors]."""
        if np.isinf(bound).all():
            return np.full_like(self.value, -bound)
        variance = self.error**2 - 2 * bound * self.covariance + (bound * self.below_error) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (self.value - bound) * self.below / np.sqrt(variance.clip(min=0))
        return np.where((variance <= 0) & (self.value == bound), 0.0, distance)


def quotients(values: np.ndarray, above: np.ndarray, below: np.ndarray) -> Quotients:
    """Ratios of the contrasts `above`, of shape (cells, k), to the contrast `below`, of shape
    (cells,), from values of shape (..., blocks, cells). If the denominator is below 0, both change
    signs."""
    k = above.shape[1]
    weights = np.column_stack([above, above + below[:, None], below])
    found = estimates.contrast_estimates(values, weights)
    value, error = found.value, found.error
    denominator, uncertain = value[..., -1:], error[..., -1:]
    covariance = (error[..., k:-1] ** 2 - error[..., :k] ** 2 - uncertain**2) / 2
    return Quotients(
        value[..., :k] / denominator,
        error[..., :k],
        found.df[..., :k],
        abs(denominator),
        uncertain,
        covariance,
    )


_EXACT = 15
"""most blocks of which all sets are tried; of more, `_DRAWN` random ones"""
_DRAWN = 9999
_SEED = 1969


@dataclass(frozen=True)
class Flipped(estimates.Estimates):
    """Means of contrasts over sets of blocks. `error` and `df` are Student's."""

    lows: np.ndarray
    """the mean of each set of blocks, of shape (sets, k): NaN for an empty set, infinite for a
    quotient whose denominator is not above 0 in the set"""
    highs: np.ndarray

    def p_above(self, bound: float) -> np.ndarray:
        return (~(self.lows > bound)).mean(axis=0)

    def p_below(self, bound: float) -> np.ndarray:
        return (~(self.highs < bound)).mean(axis=0)

    def interval(self, together: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """If no set can be left out on either side, the interval has no ends."""
        outside = estimates.beyond(together)
        return _end(self.lows, outside), -_end(-self.highs, outside)


def flipped(values: np.ndarray, weights: np.ndarray, found: estimates.Estimates) -> Flipped:
    """The contrasts that `contrast_estimates` has `found`, by sign flips. `values` has the shape
    (blocks, cells), with NaN for missing cells, and `weights` (cells, k)."""
    means = _means_of_sets(values, weights)
    return Flipped(found.value, found.error, found.df, means, means)


def flipped_quotients(
    values: np.ndarray, above: np.ndarray, below: np.ndarray, found: estimates.Estimates
) -> Flipped:
    """Sign flips of `quotients`, with its parameters."""
    over, under = _means_of_sets(values, above), _means_of_sets(values, below[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = over / under
    none = ~(under * np.sign(under[-1]) > 0)
    lows, highs = (np.where(none, end, ratios) for end in (-np.inf, np.inf))
    return Flipped(found.value, found.error, found.df, lows, highs)


def _means_of_sets(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean of each contrast over each set of blocks, the set of all blocks last. A block's weight
    is the share of the contrast that it measured."""
    shares = estimates.blocks_behind(values, weights)
    each = np.where(shares > 0, estimates.filled(values) @ weights, 0.0)
    sets = _sets(len(values))
    with np.errstate(invalid="ignore"):
        return sets @ (shares * each) / (sets @ shares)


@cache
def _sets(n: int) -> np.ndarray:
    """Sets of n blocks, a row each, as 0 and 1: all of them, or the empty one, random ones and the
    whole."""
    if n <= _EXACT:
        return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(float)
    drawn = np.random.default_rng(_SEED).integers(0, 2, (_DRAWN - 1, n)).astype(float)
    return np.vstack([np.zeros(n), drawn, np.ones(n)])


def _end(means: np.ndarray, outside: float) -> np.ndarray:
    """Of each contrast, the mean of a set below which p is at most `outside`."""
    ordered = np.sort(np.where(np.isnan(means), -np.inf, means), axis=0)
    return ordered[int(outside * len(means))]

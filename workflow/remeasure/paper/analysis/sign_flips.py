"""Contrasts of cells by sign flips over blocks, which assume no normal distribution.

If the truth is a bound, and blocks differ from it to either side alike, each block's distance from
the bound could as well have the other sign. The p value is the share of all choices of signs that
give a mean at least as far out as the one found (Fisher 1935). Flipping a set of blocks does this
exactly if the mean of that set lies beyond the bound. The p value counts the sets of blocks whose
mean does, the empty set among them, and the ends of the interval are such means (Hartigan 1969).
From n blocks p is 1 / 2^n at least: five blocks decide nothing at 2.5 %.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from remeasure.paper.analysis.estimates import Estimates, Which, beyond, blocks_behind, filled

_EXACT = 15
"""most blocks of which all sets are tried; of more, `_DRAWN` random ones"""
_DRAWN = 9999
_SEED = 1969


@dataclass(frozen=True)
class Flipped(Estimates):
    """Means of contrasts over sets of blocks. `error` and `df` are Student's."""

    lows: np.ndarray
    """the mean of each set of blocks, of shape (sets, k): NaN of an empty set. Of a quotient whose
    denominator is not above 0 in the set, without end"""
    highs: np.ndarray

    def p_above(self, bound: float, which: Which = "smallest") -> np.ndarray:
        return _extreme(~(self.lows > bound), which)

    def p_below(self, bound: float, which: Which = "smallest") -> np.ndarray:
        return _extreme(~(self.highs < bound), which)

    def interval(self, together: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """With so few blocks that no set may be left out on either side, it has no ends."""
        outside = beyond(together)
        return _end(self.lows, outside), -_end(-self.highs, outside)


def flipped(values: np.ndarray, weights: np.ndarray, found: Estimates) -> Flipped:
    """The contrasts that `contrast_estimates` has `found`, by sign flips. `values` has the shape
    (blocks, cells), with NaN for missing cells, and `weights` (cells, k)."""
    means = _means_of_sets(values, weights)
    return Flipped(found.value, found.error, found.df, means, means)


def flipped_quotients(
    values: np.ndarray, above: np.ndarray, below: np.ndarray, found: Estimates
) -> Flipped:
    """The same for `quotients`; parameters as there."""
    over, under = _means_of_sets(values, above), _means_of_sets(values, below[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = over / under
    none = ~(under * np.sign(under[-1]) > 0)
    lows, highs = (np.where(none, end, ratios) for end in (-np.inf, np.inf))
    return Flipped(found.value, found.error, found.df, lows, highs)


def _means_of_sets(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean of each contrast over each set of blocks, the set of all blocks last. A block counts by
    the share of the contrast that it measured."""
    shares = blocks_behind(values, weights)
    each = np.where(shares > 0, filled(values) @ weights, 0.0)
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


def _extreme(against: np.ndarray, which: Which) -> np.ndarray:
    p = against.mean(axis=0)
    return p.min(axis=-1) if which == "smallest" else p.max(axis=-1)


def _end(means: np.ndarray, outside: float) -> np.ndarray:
    """Of each contrast, the mean of a set below which p is at most `outside`."""
    ordered = np.sort(np.where(np.isnan(means), -np.inf, means), axis=0)
    return ordered[int(outside * len(means))]

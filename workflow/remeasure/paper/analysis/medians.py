"""The median of what blocks show, with an interval that assumes no distribution.

How much blocks vary is not estimated by a mean: one stalled run among twenty decides it, and with
five or ten blocks Student's interval holds the truth far less often than it says. Every block is
above the median with a chance of one half, whatever the distribution, so that counting is enough.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr as binomial_share

from remeasure.paper.analysis.estimates import Estimates, Which, beyond


@dataclass(frozen=True)
class Medians(Estimates):
    """Medians of numbers that are not below 0. Their `error` and `df` are NaN."""

    each: np.ndarray
    """the numbers of the blocks, of shape (..., blocks, k)"""

    def p_above(self, bound: float, which: Which = "smallest") -> np.ndarray:
        return self._extreme(self.each <= bound, which)

    def p_below(self, bound: float, which: Which = "smallest") -> np.ndarray:
        return self._extreme(self.each >= bound, which)

    def _extreme(self, against: np.ndarray, which: Which) -> np.ndarray:
        n = np.isfinite(self.each).sum(axis=-2)
        p = _at_most(against.sum(axis=-2), n)
        return p.min(axis=-1) if which == "smallest" else p.max(axis=-1)

    def interval(self, together: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """From one block's number to another's. With fewer than six blocks it goes from 0 to the
        largest number, with fewer than five it has no end."""
        outside = beyond(together)
        n = self.each.shape[-2]
        inner = [place for place in range(n // 2) if _at_most(place, n) <= outside]
        ordered = np.sort(self.each, axis=-2)
        if inner:
            return ordered[..., inner[-1], :], ordered[..., n - 1 - inner[-1], :]
        end = ordered[..., -1, :] if 0.5**n <= 2 * outside else np.full_like(self.value, np.inf)
        return np.zeros_like(self.value), end


def median_estimates(values: np.ndarray, weights: np.ndarray) -> Medians:
    """Medians over blocks of a weighted mean of cells. `values` has the shape (..., blocks, cells),
    and `weights`, none of them below 0, (cells, k). Blocks that lack a cell are left out; they are
    allowed if there are no leading axes."""
    each = values @ weights
    if each.ndim == 2:
        each = each[np.isfinite(each).all(axis=-1)]
    value = np.median(each, axis=-2) if each.shape[-2] else np.full(weights.shape[1], np.nan)
    return Medians(value, np.full_like(value, np.nan), np.full_like(value, np.nan), each)


def _at_most(count: np.ndarray | int, n: np.ndarray | int) -> np.ndarray:
    """Chance that so few of n blocks, or fewer, are on one side of the median."""
    return binomial_share(count, n, 0.5)

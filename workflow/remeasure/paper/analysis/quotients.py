"""Ratios of two contrasts of cells, where both are uncertain.

Whether a ratio is above a bound is asked without a division: whether above - bound x below is more
than 0, which is one contrast and has an exact test (Student's, over blocks). The ratios that this
test does not refuse are the interval (Fieller 1954). Where the denominator may be 0, they reach
infinity, from one side or through it from both; then the interval is given as one without ends.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit as student_quantile

from remeasure.paper.analysis.estimates import Estimates, beyond, contrast_estimates


@dataclass(frozen=True)
class Quotients(Estimates):
    """Ratios of contrasts to a denominator that is positive. `value` has the shape (..., k); the
    fields below follow it, with a last axis of 1 where they are of the denominator. `error` belongs
    to the numerator."""

    below: np.ndarray
    """the denominator"""
    below_error: np.ndarray
    covariance: np.ndarray
    """of the estimates of numerator and denominator"""

    def interval(self, together: int = 1) -> tuple[np.ndarray, np.ndarray]:
        quantile = student_quantile(self.df, 1 - beyond(together))
        # Where (value - bound)^2 x below^2 = quantile^2 x variance(bound): a x^2 - 2 b x + c = 0.
        a = self.below**2 - (quantile * self.below_error) ** 2
        b = self.value * self.below**2 - quantile**2 * self.covariance
        c = (self.value * self.below) ** 2 - (quantile * self.error) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            half = np.sqrt((b**2 - a * c).clip(min=0)) / a
            middle = b / a
        bounded = np.where(np.isnan(a), np.nan, 1.0)
        low = np.where(a > 0, middle - half, -np.inf * bounded)
        return low, np.where(a > 0, middle + half, np.inf * bounded)

    def holds(self, truth: np.ndarray, together: int = 1) -> np.ndarray:
        """True where the test does not refuse the truth. An interval without ends may hold more
        than it has to; this does not count in its favour."""
        return abs(self.distance(truth)) <= student_quantile(self.df, 1 - beyond(together))

    def distance(self, bound: float | np.ndarray) -> np.ndarray:
        """Distance of the ratios from a bound [standard errors]."""
        if np.isinf(bound).all():
            return np.full_like(self.value, -bound)
        variance = self.error**2 - 2 * bound * self.covariance + (bound * self.below_error) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (self.value - bound) * self.below / np.sqrt(variance.clip(min=0))
        return np.where((variance <= 0) & (self.value == bound), 0.0, distance)


def quotients(values: np.ndarray, above: np.ndarray, below: np.ndarray) -> Quotients:
    (
        """Ratios of the contrasts `above`, of shape (cells, k), to the contrast `below`, of shape
    (cells,), from values of shape (..., blocks, cells). The signs of `below` and `above` are turned
    where the denominator came out below 0."""
        ""
    )
    k = above.shape[1]
    weights = np.column_stack([above, above + below[:, None], below])
    found = contrast_estimates(values, weights)
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

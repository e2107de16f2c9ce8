"""Sign flips over blocks: known values, simulated truth, and what few blocks cannot decide."""

import numpy as np
import pytest
from scipy import stats

from remeasure.paper.analysis.estimates import contrast_estimates
from remeasure.paper.analysis.estimators import flipped, flipped_quotients, quotients

DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
"""differences between 15 pairs of maize plants, in which Fisher (1935, section 21) counted the sums
that are at least as large, under all choices of signs: 863 of 32768"""
ONE = np.ones((1, 1))


def of(values, weights=ONE):
    values = np.asarray(values, dtype=float).reshape(len(values), -1)
    return flipped(values, weights, contrast_estimates(values, weights))


def test_fisher_s_count():
    found = of(DARWIN)
    assert found.p_above(0) == 863 / 32768
    # His two-sided p is 5.3 %, so an interval of 95 % includes no difference.
    low, high = found.interval()
    assert low < 0 < found.value < high


@pytest.mark.parametrize("n", [3, 8, 20])
def test_p_as_scipy_has_it(n):
    values = np.random.default_rng(1).normal(0.4, 1, n)
    asked = {"permutation_type": "samples", "n_resamples": 20_000, "rng": 2}
    for bound in (-0.1, 0.0, 0.6):
        above, below = (
            stats.permutation_test((values - bound,), np.mean, alternative=side, **asked).pvalue
            for side in ("greater", "less")
        )
        near = 0 if n < 15 else 0.01  # of 20 blocks both draw sets at random
        assert of(values).p_above(bound) == pytest.approx(above, abs=near)
        assert of(values).p_below(bound) == pytest.approx(below, abs=near)


@pytest.mark.parametrize("draw", ["laplace", "standard_cauchy", "normal"])
def test_intervals_hold_the_truth_whatever_the_distribution(draw):
    """The level from eight blocks is 1 - 2 * 6 / 256 = 95.3 %."""
    blocks = getattr(np.random.default_rng(3), draw)(size=(8, 4000))
    found = of(blocks, np.eye(4000))
    assert np.mean(found.holds(np.zeros(4000))) == pytest.approx(1 - 12 / 256, abs=0.01)


def test_fewer_blocks_decide_nothing():
    for n in (5, 6):
        found = of(np.arange(100, 100 + n))
        assert found.p_above(0) == 2.0**-n
        decides = n == 6
        assert (found.p_above(0) <= 0.025) == np.isfinite(found.interval()).all() == decides


def test_a_block_counts_by_what_it_measured():
    random = np.random.default_rng(4)
    values, weights = random.normal(1, 1, (8, 2)), np.array([[1.0], [-1.0]])
    lacking = np.vstack([values, [[5.0, np.nan]]])
    for bound in (-1, 0, 0.3):
        assert of(lacking, weights).p_above(bound) == of(values, weights).p_above(bound)
    assert of(lacking, weights).interval() == of(values, weights).interval()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_quotient_is_asked_as_a_difference(sign):
    random = np.random.default_rng(5)
    values = np.column_stack([random.normal(3, 1, 7), sign * random.normal(2, 0.5, 7)])
    above, below = np.array([[1.0], [0.0]]), np.array([0.0, 1.0])
    found = flipped_quotients(values, above, below, quotients(values, above, below))
    for bound in (-2.0, -1.0, 1.0, 2.0):
        difference = of(sign * (values[:, 0] - bound * values[:, 1]))
        assert found.p_above(bound) == difference.p_above(0)
        assert found.p_below(bound) == difference.p_below(0)
    low, high = found.interval()
    assert low < found.value < high

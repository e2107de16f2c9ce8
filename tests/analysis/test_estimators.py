"""Estimates and their intervals: of means, medians, quotients and sign flips. Against values known
from elsewhere, against scipy, and on simulated truth."""

import numpy as np
import pytest
from scipy import stats

from remeasure.paper.analysis.estimates import (
    contrast_estimates,
    geometric,
    is_geometric,
    mean_estimate,
)
from remeasure.paper.analysis.estimators import (
    flipped,
    flipped_quotients,
    median_estimates,
    quotients,
)

ONE = np.ones((1, 1))
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
"""differences between 15 pairs of maize plants, in which Fisher (1935, section 21) counted the sums
that are at least as large, under all choices of signs: 863 of 32768"""
BLOCKS = np.random.default_rng(1).normal([6, 10, 2], [1, 1.5, 0.5], (6, 3))
ABOVE, BELOW = np.array([[1.0], [0], [-1]]), np.array([0.0, 1, -1])


def median(*numbers: float):
    return median_estimates(np.array(numbers)[:, None], ONE)


def test_the_median_of_ten_blocks():
    """The second and the ninth of ten: 11 of 1024 throws of ten coins show one head or none, below
    2.5 %; 56 show two or fewer, which is too many."""
    found = median(5, 1, 9, 3, 7, 2, 10, 4, 8, 6)
    low, high = found.interval()
    assert (found.value[0], low[0], high[0]) == (5.5, 2, 9)
    assert found.p_below(9.5) == pytest.approx(11 / 1024)
    assert found.p_above(1.5) == pytest.approx(11 / 1024)
    assert found.p_below(100) == pytest.approx(1 / 1024)


def test_medians_of_few_blocks_have_one_end_or_none():
    assert [end[0] for end in median(1, 2, 3, 4, 5).interval()] == [0, 5]
    assert [end[0] for end in median(1, 2, 3).interval()] == [0, np.inf]
    assert median(1, 2, 3, 4, 5).p_below(100) > 0.025, "five blocks are too few for a verdict"


def test_a_block_without_a_value_does_not_count():
    found = median(1, np.nan, 2, 3, 4, 5, 6)
    assert (found.value[0], found.p_below(7)) == (3.5, 1 / 64)


def test_geometric_means_of_blocks():
    """The mean of the values is the geometric mean; a block twice as high is as far off as one half
    as high."""
    values = geometric(np.log([[1.0], [2.0], [4.0]]))
    assert values.mean() == pytest.approx(2)
    assert values[2, 0] - 2 == pytest.approx(2 - values[0, 0])


def p_of(bound, blocks=BLOCKS, side="two-sided"):
    return stats.ttest_1samp(
        blocks @ ABOVE[:, 0] - bound * (blocks @ BELOW), 0, alternative=side
    ).pvalue


def test_at_the_ends_of_a_quotient_the_test_is_at_its_level():
    found = quotients(BLOCKS, ABOVE, BELOW)
    (low,), (high,) = found.interval()
    assert found.value == pytest.approx((BLOCKS @ ABOVE).mean() / (BLOCKS @ BELOW).mean())
    assert low < found.value[0] < high
    assert [p_of(low), p_of(high)] == pytest.approx([0.05, 0.05])
    assert found.p_above(0.3) == pytest.approx(p_of(0.3, side="greater"))
    assert found.p_below(0.7) == pytest.approx(p_of(0.7, side="less"))
    assert [found.p_above(-np.inf), found.p_below(np.inf)] == [0, 0]


def test_a_denominator_below_zero_is_turned():
    turned = quotients(BLOCKS, ABOVE, -BELOW)
    straight = quotients(BLOCKS, ABOVE, BELOW)
    assert turned.value == pytest.approx(-straight.value)
    assert np.ravel(turned.interval()) == pytest.approx(-np.ravel(straight.interval())[::-1])
    assert turned.p_above(-0.7) == pytest.approx(straight.p_below(0.7))


def test_over_a_denominator_that_may_be_zero_there_is_no_end():
    blocks = BLOCKS - [0, 8, 0]
    assert stats.ttest_1samp(blocks @ BELOW, 0).pvalue > 0.05
    found = quotients(blocks, ABOVE, BELOW)
    assert found.interval() == (-np.inf, np.inf)
    # The test refuses values that the interval includes.
    refused = next(x for x in np.linspace(-50, 50, 1001) if p_of(x, blocks) < 0.05)
    assert min(found.p_above(refused), found.p_below(refused)) < 0.025


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
    low, high = found.interval()
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(1 - 12 / 256, abs=0.01)


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


LESS = np.array([[-1.0], [1.0]])


def test_the_interval_of_a_mean_is_students():
    values = np.array([3.0, 5.0, 4.0, 8.0])
    found = mean_estimate(values)
    low, high = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert (found.value, found.low, found.high) == pytest.approx((5, low, high))
    ratio = mean_estimate(np.exp(values), logarithms=True)
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx(tuple(np.exp((5, low, high))))


def test_of_no_trial_there_is_no_mean():
    """As of the accepted trials of a campaign in which every trial is suspect."""
    nothing = np.empty(0)
    assert not is_geometric(nothing, "ms")
    assert mean_estimate(nothing).n == 0


def test_equal_differences_have_no_spread():
    blocks = np.array([[10.0, 21.0], [12.0, 23.0], [11.3, 22.3]])
    found = contrast_estimates(blocks, LESS).estimate(3)
    assert (found.value, found.low, found.high) == pytest.approx((11, 11, 11))


def test_one_block_has_no_interval():
    estimate = contrast_estimates(np.array([[1.0, 2.0]]), LESS).estimate(1)
    assert estimate.value == 1 and np.isnan(estimate.low) and np.isnan(estimate.high)

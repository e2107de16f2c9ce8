"""Estimates and their intervals, by simulation and on numbers worked by hand."""

import numpy as np
import pytest
from scipy import stats

from remeasure.paper.analysis.estimates import (
    contrast_estimates,
    is_geometric,
    mean_estimate,
)

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

"""Fieller's intervals, against Student's test of the contrast that they invert."""

import numpy as np
import pytest
from scipy import stats

from remeasure.paper.analysis.estimators import quotients

BLOCKS = np.random.default_rng(1).normal([6, 10, 2], [1, 1.5, 0.5], (6, 3))
ABOVE, BELOW = np.array([[1.0], [0], [-1]]), np.array([0.0, 1, -1])


def p_of(bound, blocks=BLOCKS, side="two-sided"):
    return stats.ttest_1samp(
        blocks @ ABOVE[:, 0] - bound * (blocks @ BELOW), 0, alternative=side
    ).pvalue


def test_at_its_ends_the_test_is_at_its_level():
    found = quotients(BLOCKS, ABOVE, BELOW)
    (low,), (high,) = found.interval()
    assert found.value == pytest.approx((BLOCKS @ ABOVE).mean() / (BLOCKS @ BELOW).mean())
    assert low < found.value[0] < high
    assert [p_of(low), p_of(high)] == pytest.approx([0.05, 0.05])
    assert found.p_above(0.3) == pytest.approx(p_of(0.3, side="greater"))
    assert found.p_below(0.7) == pytest.approx(p_of(0.7, side="less"))
    assert [found.p_above(-np.inf), found.p_below(np.inf)] == [0, 0]


def test_five_at_once_are_wider():
    found = quotients(BLOCKS, ABOVE, BELOW)
    low, high = found.interval(5)
    assert [p_of(*low), p_of(*high)] == pytest.approx([1 - 0.95**0.2] * 2)


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
    # What the test refuses is not held, whatever the interval says.
    refused = next(x for x in np.linspace(-50, 50, 1001) if p_of(x, blocks) < 0.05)
    assert not found.holds(np.array([refused])).all()


def test_two_blocks_are_needed():
    found = quotients(BLOCKS[:1], ABOVE, BELOW)
    assert np.isnan(found.interval()).all() and np.isnan(found.p_above(1))

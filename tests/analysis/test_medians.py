"""Medians of what blocks show, by counting blocks."""

import numpy as np
import pytest

from remeasure.paper.analysis.estimates import geometric
from remeasure.paper.analysis.estimators import median_estimates

ONE = np.ones((1, 1))


def of(*numbers: float):
    return median_estimates(np.array(numbers)[:, None], ONE)


def test_ten_blocks():
    """The second and the ninth of ten: 11 of 1024 throws of ten coins show one head or none, below
    2.5 %; 56 show two or fewer, which is too many."""
    found = of(5, 1, 9, 3, 7, 2, 10, 4, 8, 6)
    low, high = found.interval()
    assert (found.value[0], low[0], high[0]) == (5.5, 2, 9)
    assert found.p_below(9.5) == pytest.approx(11 / 1024)
    assert found.p_above(1.5) == pytest.approx(11 / 1024)
    assert found.p_below(100) == pytest.approx(1 / 1024)


def test_few_blocks_have_one_end_or_none():
    assert [end[0] for end in of(1, 2, 3, 4, 5).interval()] == [0, 5]
    assert [end[0] for end in of(1, 2, 3).interval()] == [0, np.inf]
    assert of(1, 2, 3, 4, 5).p_below(100) > 0.025, "five blocks are too few for a verdict"


def test_a_block_at_the_bound_is_on_neither_side():
    assert of(*[2] * 10).p_below(2) == of(*[2] * 10).p_above(2) == 1


def test_a_block_without_a_value_does_not_count():
    found = of(1, np.nan, 2, 3, 4, 5, 6)
    assert (found.value[0], found.p_below(7)) == (3.5, 1 / 64)


def test_geometric_means_of_blocks():
    """The mean of what comes out is the geometric mean; a block twice as high is as far off as one
    half as high."""
    values = geometric(np.log([[1.0], [2.0], [4.0]]))
    assert values.mean() == pytest.approx(2)
    assert values[2, 0] - 2 == pytest.approx(2 - values[0, 0])

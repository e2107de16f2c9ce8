"""Estimates and their intervals, by simulation and on numbers worked by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from remeasure.analysis.comparisons import precision
from remeasure.analysis.estimates import (
    block_bootstrap,
    blocks_needed,
    difference,
    mean_of,
    ratio,
)


def test_statistics_of_two_levels():
    blocks = np.array([[10.0, 21.0], [12.0, 23.0], [11.0, 22.0]])
    assert block_bootstrap(blocks, difference).value == pytest.approx(11)
    assert block_bootstrap(blocks, ratio).value == pytest.approx(2)
    assert block_bootstrap(blocks, mean_of(1)).n == 3
    constant = block_bootstrap(blocks, difference)
    assert (constant.low, constant.high) == (pytest.approx(11), pytest.approx(11))


def test_one_block_has_no_interval():
    estimate = block_bootstrap(np.array([[1.0, 2.0]]), difference)
    assert estimate.value == 1 and np.isnan(estimate.low) and np.isnan(estimate.high)


@pytest.mark.parametrize("n", [10, 20])
def test_intervals_cover_as_they_say(n):
    """95 % intervals of a mean with drift over the blocks, seeded."""
    rng = np.random.default_rng(20261121)
    hits, runs = 0, 400
    for run in range(runs):
        drift = np.linspace(-0.5, 0.5, n)
        pairs = drift[:, None] + rng.normal([5.0, 6.0], 1.0, size=(n, 2))
        estimate = block_bootstrap(pairs, difference, seed=run)
        hits += estimate.low <= 1.0 <= estimate.high
    assert 0.93 <= hits / runs <= 0.975


def test_blocks_needed_for_half_a_standard_deviation():
    """t / sqrt(n) first falls to 0.5 at n = 18, as tables of sample sizes have it."""
    ten = stats.t.ppf(0.975, 9) / np.sqrt(10)
    assert blocks_needed(ten, 10, goal=0.5) == 18
    assert np.isnan(blocks_needed(ten, 10, goal=0.001))
    assert np.isnan(blocks_needed(float("nan"), 1, goal=0.5))


def test_precision_of_cells():
    """Half of an interval over its value, against a goal."""
    cells = pd.DataFrame(
        {"value": [10.0, 10], "low": [9.0, 9.8], "high": [11.0, 10.2], "n": [5, 5]}
    )
    found = precision(cells, 0.05)
    assert found["half_width"].round(3).tolist() == [0.1, 0.02]
    assert found["within"].tolist() == [False, True]
    assert found["needed"][0] > 5 >= found["needed"][1]

"""Headline numbers of two campaigns: within the predicted factor, beyond it, or open."""

import math

import pytest

from notebooks.compare.asks import (
    AGREES,
    APART,
    OPEN,
    Headline,
    headlines_compared,
    headlines_in_words,
)
from remeasure.paper.analysis.estimates import Estimate


def estimate(value: float, width: float = 1.02) -> Estimate:
    return Estimate(value, value / width, value * width, 8)


@pytest.mark.parametrize(
    ("first", "second", "unit", "agreement"),
    [
        (estimate(15), estimate(17), "", AGREES),
        (estimate(15), estimate(6), "", APART),
        (estimate(15), estimate(18.7), "", OPEN),
        (estimate(100), estimate(105), "ms", AGREES),
        (estimate(100), estimate(117), "ms", APART),
        (estimate(100), estimate(117), "Mbit/s", AGREES),
        (Estimate(4.0, -1.0, 9.0, 8), estimate(4), "ms", OPEN),
        (Estimate(4.0, math.nan, math.nan, 1), estimate(40), "ms", OPEN),
    ],
)
def test_a_headline_agrees_within_the_predicted_factor(first, second, unit, agreement):
    table = headlines_compared([Headline("one", first, second, unit)])
    assert table.loc["one", "agreement"] == agreement
    assert table.loc["one", "ratio"] == pytest.approx(second.value / first.value)


def test_the_interval_of_a_ratio_has_the_noise_of_both():
    table = headlines_compared([Headline("one", estimate(10, 1.03), estimate(10, 1.04), "")])
    assert math.log(table.loc["one", "high"]) == pytest.approx(
        math.hypot(math.log(1.03), math.log(1.04))
    )


def test_headlines_are_counted():
    told = headlines_in_words(headlines_compared([Headline("one", estimate(1), estimate(1), "")]))
    assert told.startswith("Of 1 headline numbers, **1** agree")
    assert headlines_in_words(headlines_compared([])).startswith("Of 0 ")

"""Two campaigns side by side: against values known from elsewhere, and their headline numbers."""

import math

import numpy as np
import pandas as pd
import pytest
from frames import frame

from notebooks.compare.asks import (
    AGREES,
    APART,
    OPEN,
    Headline,
    cells_compared,
    differences,
    headlines_compared,
    headlines_in_words,
    verdicts_compared,
)
from remeasure.paper.analysis.estimates import Estimate


def summaries(*blocks: float) -> pd.DataFrame:
    """One trial a block of one cell."""
    same = {"suite": "aes", "probe": "udp", "metric": "goodput", "unit": "Mbit/s"}
    return frame("block value", *enumerate(blocks, 1), **same)


def test_a_cell_has_welch_s_interval_of_its_ratio():
    """The logarithms are Student's first sample of 1908 (hyoscyamine and its left-handed form,
    hours of sleep gained), whose Welch test R prints: t = -1.8608, df = 17.776, interval -3.3654832
    to 0.2054832."""
    first = np.exp([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.exp([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    (row,) = cells_compared(summaries(*first), summaries(*second), ["suite"]).to_dict("records")
    assert (row["suite"], row["metric"], row["blocks"]) == ("aes", "goodput", 10)
    assert np.log([row["low"], row["high"]]) == pytest.approx([-0.2054832, 3.3654832], abs=1e-6)
    assert np.log(row["ratio"]) == pytest.approx(1.58)


def test_one_block_has_no_interval_and_no_value_of_zero_a_ratio():
    (row,) = cells_compared(summaries(4.0), summaries(1.0, 4.0), ["suite"]).to_dict("records")
    assert row["ratio"] == pytest.approx(0.5) and np.isnan([row["low"], row["high"]]).all()
    assert cells_compared(summaries(0.0), summaries(1.0), ["suite"]).empty


def test_a_difference_is_far_if_its_whole_interval_is():
    near, far = ([one * ratio for one in (1.0, 1.001, 0.999)] for ratio in (1.02, 1.2))
    table = pd.concat(
        cells_compared(summaries(1.0, 1.001, 0.999), summaries(*other), ["suite"])
        for other in (near, far)
    )
    assert list(table["differs"]) == [True, True] and list(table["far"]) == [False, True]


def test_totals_of_a_run_are_not_compared():
    totals = summaries(4.0, 5.0).assign(metric="received_bytes", unit="B")
    assert cells_compared(totals, totals, ["suite"]).empty


def ledger(**verdicts: str) -> list[dict]:
    same = {"study": "sokol", "says": "It is."}
    return [same | {"id": name, "verdict": verdict} for name, verdict in verdicts.items()]


def test_verdicts_are_the_same_or_others_or_open():
    first = ledger(a="confirmed", b="confirmed", c="opposite", d="not testable", e="confirmed")
    second = ledger(a="confirmed", b="opposite", c="undecided", d="confirmed")
    table = verdicts_compared(first, second).set_index("id")["agreement"]
    assert table.to_dict() == {"a": "the same", "b": "another", "c": "undecided in one"}


def test_what_differs_is_named_tool_by_tool():
    first = {"kernel": "7.2", "machine": "x", "tools": {"iperf3": "3.9", "tc": "1"}}
    second = {"kernel": "7.2", "machine": "y", "tools": {"iperf3": "3.22", "tc": "1"}}
    assert differences(first, second).to_dict("index") == {
        "machine": {"first": "x", "second": "y"},
        "iperf3": {"first": "3.9", "second": "3.22"},
    }


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

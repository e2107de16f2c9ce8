"""Two campaigns side by side: against values known from elsewhere."""

import numpy as np
import pandas as pd
import pytest
from frames import frame

from notebooks.compare.asks import (
    cells_compared,
    differences,
    verdicts_compared,
)


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

"""The cost of one megabyte and one packet, from counters."""

import pandas as pd
import pytest
from frames import frame

from remeasure.paper.analysis.summaries import costs, machine_time

KEYS = {"block": 1, "trial": 1, "suite": "a", "probe": "p"}


def counted(*rows) -> pd.DataFrame:
    return frame("repeat host counter change", *rows, **KEYS)


def received(*repeats, metric="received_bytes", value=2e6) -> pd.DataFrame:
    rows = [(repeat,) for repeat in repeats]
    return frame("repeat", *rows, **KEYS, tool="ftp", metric=metric, value=value)


TICKS = [(1, "l", "cpu_ms", 30), (1, "r", "cpu_ms", 50), (1, "x", "cpu_ms", 900)]


def test_cost_is_what_counters_moved_for_each_megabyte():
    counters = counted(*TICKS, (1, "l", "other", 7))
    found = costs(counters, received(1), ["suite"], "cpu_per_megabyte", ["l", "r"])
    assert found["value"].tolist() == [40]
    assert set(found.columns) == {*KEYS, "value", "metric", "unit"}


def test_time_of_the_run_itself_is_taken_where_a_run_has_it():
    precise = [
        (2, "l", "cpu_run_us", 10_500),
        (2, "l", "cpu_ms", 30),
        (2, "r", "cpu_run_us", 9_500),
    ]
    counters = counted(*TICKS, *precise)
    time = machine_time(counters).set_index(["repeat", "host"])["change"]
    of_first = {(1, "l"): 30, (1, "r"): 50, (1, "x"): 900}
    assert time.to_dict() == of_first | {(2, "l"): 10.5, (2, "r"): 9.5}
    # 80 ms and 20 ms for 2 MB each; a trial is the mean of its runs.
    found = costs(counters, received(1, 2), ["suite"], "cpu_per_megabyte", ["l", "r"])
    assert found["value"].tolist() == [pytest.approx((40 + 10) / 2)]


def test_cost_of_a_packet_is_in_microseconds():
    packets = received(1, metric="packets", value=400)
    found = costs(counted(*TICKS), packets, ["suite"], "cpu_per_packet", ["l", "r"])
    assert found[["value", "unit"]].to_numpy().tolist() == [[80_000 / 400, "us/packet"]]

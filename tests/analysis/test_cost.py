"""What one megabyte costs, from counters."""

import pandas as pd

from remeasure.analysis.cost import per_megabyte


def test_cost_is_what_counters_moved_for_each_megabyte():
    keys = {"block": 1, "trial": 1, "suite": "a", "probe": "p"}
    observations = pd.DataFrame(
        [keys | {"tool": "ftp", "repeat": 1, "metric": "received_bytes", "value": 2e6}]
    )
    counters = pd.DataFrame(
        [
            keys | {"repeat": 1, "host": host, "counter": counter, "change": change}
            for host, counter, change in (
                ("l", "cpu_ms", 30),
                ("r", "cpu_ms", 50),
                ("x", "cpu_ms", 900),
                ("l", "other", 7),
            )
        ]
    )
    found = per_megabyte(counters, observations, ["suite"], "cpu_per_megabyte", ["l", "r"])
    assert found["value"].tolist() == [40]
    assert set(found.columns) == {*keys, "value", "metric", "unit"}

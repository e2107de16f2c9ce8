"""Processor time of both ends of a flow."""

import pandas as pd

from remeasure.analysis.models.processors import busy_metrics


def test_busy_metrics():
    rows = [
        {
            "block": 1,
            "trial": 1,
            "cpus": "8",
            "probe": "load",
            "metric": metric,
            "unit": "",
            "value": value,
        }
        for metric, value in (
            ("left_busy", 60.0),
            ("right_busy", 40.0),
            ("throughput", 2000.0),
            ("other", 1.0),
        )
    ]
    found = busy_metrics(pd.DataFrame(rows), "left", "right").set_index("metric")["value"]
    assert found.to_dict() == {
        "hosts_busy": 50,
        "receiver_less_sender": -20,
        "sender_receiver_gap": 20,
        "cores_per_gbit": 2,
    }

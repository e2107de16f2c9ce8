"""Processors of both ends of a flow: their time, and which of them had the packets."""

import pandas as pd

from notebooks.per_cpu_sas.model import (
    busy_metrics,
    carried_by_processor,
    trials_carried_by_several,
)


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


def counted(trial, steering, counter, change, host="right", condition="per-cpu"):
    return {
        "campaign": "c",
        "block": 1,
        "trial": trial,
        "condition": condition,
        "steering": steering,
        "host": host,
        "counter": counter,
        "change": change,
    }


def test_trials_whose_packets_several_processors_carried():
    counters = pd.DataFrame(
        [
            counted(1, "by-flow", "sa_out_cpu0_packets", 5, "left"),
            counted(1, "by-flow", "sa_out_cpu1_packets", 7, "left"),
            counted(2, "by-flow", "sa_out_cpu0_packets", 5, "left"),
            counted(2, "by-flow", "sa_out_cpu1_packets", 0, "left"),
            counted(2, "by-flow", "sa_out_cpu1_packets", 9, "right"),
            counted(2, "by-flow", "sa_out_packets", 9, "left"),
        ]
    )
    carried = carried_by_processor(counters, "left")
    assert list(carried["processor"]) == ["0", "1", "0", "1"]
    assert trials_carried_by_several(carried) == 1

"""Summaries of trials, pairs of them, and the cost of a megabyte and of a packet from counters."""

import pandas as pd
import pytest
from frames import frame

from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.summaries import (
    Tables,
    costs,
    machine_time,
    paired,
    read_tables,
    trial_summaries,
    undisturbed,
)


def test_summaries_are_one_a_trial_and_pairs_one_a_block():
    rows = [
        (block, trial, auth, value + reading)
        for block in (1, 2, 3)
        for trial, (auth, value) in enumerate((("psk", 1.0), ("rsa", 2.0)))
        for reading in range(5)
        if not (block == 3 and auth == "rsa")
    ]
    same = {"network": "normal", "probe": "ping", "metric": "rtt", "unit": "ms"}
    readings = frame("block trial auth value", *rows, **same)
    summaries = trial_summaries(readings, ["auth", "network"])
    assert len(summaries) == 5
    pairs = paired(summaries, "ping", "rtt", "auth", network="normal")
    assert list(pairs.index) == [1, 2], "block 3 lacks a level"
    assert pairs.loc[1].to_dict() == {"psk": 3.0, "rsa": 4.0}


def test_a_disturbed_run_is_left_out_if_its_trial_has_another():
    verdicts = [("accepted", "suspect"), ("suspect", "suspect"), ("", ""), ("unjudged", "suspect")]
    rows = [
        (trial, repeat, verdict)
        for trial, of_trial in enumerate(verdicts)
        for repeat, verdict in enumerate(of_trial, 1)
    ]
    same = {"campaign": "c", "block": 1, "suite": "a", "probe": "flow"}
    runs = frame("trial repeat verdict", *rows, **same)
    values = runs.drop(columns="verdict").assign(metric="goodput", value=1.0)
    tables = Tables({"runs": runs, "observations": values, "counters": values}, ["suite"], [])
    kept = undisturbed(tables)
    left = [(0, 1), (1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]
    for name in ("observations", "counters"):
        assert list(kept[name][["trial", "repeat"]].itertuples(index=False, name=None)) == left
        assert list(kept[name]) == list(values)
    assert len(kept["runs"]) == len(runs)


def test_campaigns_that_compare_versions_stay_out_of_others():
    def campaigns(virtual):
        return set(read_tables(ROOT / "data/tidy/renewal", virtual=virtual)["trials"]["campaign"])

    assert campaigns(False) == {"lab-2026-11-renewal"}
    assert campaigns(True) == {"virtual-2026-11-traffic"}
    assert campaigns("virtual 5.9.8") == {"virtual-2026-11-strongswan-5.9"}


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

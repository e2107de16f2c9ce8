"""How scenarios read their own measurements (reading.py and model.py of a notebook), on tables made
by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from frames import frame

from notebooks.algorithm_sweep.asks import clock_offsets, correct_delays
from notebooks.calibration.asks import comparisons, false_rates
from notebooks.many_tunnels.asks import LINEAR, fit_in_gib
from notebooks.many_tunnels.asks import reading as memory_reading
from notebooks.outage.reading import DEAD_S, OutageCell, ranked, standing
from notebooks.per_cpu_sas.asks import busy_metrics, carried_by_processor, trials_carried_by_several
from notebooks.psk_rsa.asks import log_minus_wire
from notebooks.psk_rsa.reading import last_of
from notebooks.receive_offload.reading import reading as offload_reading
from notebooks.receive_offload.reading import transport_over_tunnel
from notebooks.renewal.reading import agrees
from notebooks.renewal.reading import reading as renewal_reading
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.notebook.disturbed import joined_metric, most, summed


def test_delays_are_corrected_by_what_there_and_back_differ():
    """The receiver's clock is 2 ms ahead; an idle path takes 0.25 ms; trial 2 is not known."""
    rows = [
        *((1, "there", "delay_min", 2.25), (1, "back", "delay_min", -1.75)),
        *((2, "there", "delay_min", 9.0), (2, "back", "delay_min", -1.75)),
        *((1, "flow", "delay_mean", 2.75), (1, "flow", "jitter", 0.1)),
        *((2, "flow", "delay_mean", 9.5), (2, "flow", "jitter", 0.2)),
        *((3, "flow", "jitter", 0.3), (3, "flow", "delay_mean", 1.0)),
    ]
    observations = frame("trial probe metric value", *rows, block=1)
    offsets = clock_offsets(observations, "there", "back")
    assert offsets.loc[(1, 1)].to_dict() == {"offset": 2.0, "bound": 0.25}
    found = correct_delays(observations.query("probe == 'flow'"), offsets)
    expected = [(1, "delay_mean", 0.75), (1, "jitter", 0.1), (2, "jitter", 0.2), (3, "jitter", 0.3)]
    assert list(zip(found["trial"], found["metric"], found["value"], strict=True)) == expected


def test_negotiations_with_a_retransmission_are_left_out():
    values = ((10.0, 7.0, 0), (12.0, 7.0, 0), (4010.0, 8.0, 1))
    rows = [
        (repeat, *one)
        for repeat, of_repeat in enumerate(values, 1)
        for one in zip(("ike_sa", "ike_wire", "ike_retransmits"), of_repeat, strict=True)
    ]
    keys = {"block": 1, "trial": 3, "auth": "psk", "probe": "ike"}
    (found,) = log_minus_wire(frame("repeat metric value", *rows, **keys), ["auth"]).to_dict(
        "records"
    )
    assert found == keys | {"value": 4.0}


def test_the_memory_of_sas_is_a_line_or_not():
    said = {LINEAR: "memory grows in proportion", 0.051: "memory does not grow in proportion"}
    for straightness, says in (said | {math.nan: "there are too few sizes"}).items():
        assert memory_reading(straightness).startswith(says)
    assert [fit_in_gib(32), fit_in_gib(1024 * 1024 / 7.9)] == [32000, 7]
    assert math.isnan(fit_in_gib(0)) and math.isnan(fit_in_gib(math.nan))


SLOWER, ALIKE = Estimate(0.85, 0.8, 0.9, 10), Estimate(1.0, 0.96, 1.04, 10)
NEARER, AS_BEFORE = Estimate(1.17, 1.1, 1.25, 10), Estimate(1.01, 0.95, 1.07, 10)
ONE_BLOCK = Estimate(0.85, np.nan, np.nan, 1)


@pytest.mark.parametrize(
    ("on", "off", "change", "says"),
    [
        (SLOWER, ALIKE, NEARER, "receive offload explains the difference"),
        (SLOWER, SLOWER, NEARER, "explains part"),
        (SLOWER, SLOWER, AS_BEFORE, "stays unexplained"),
        (ALIKE, ALIKE, AS_BEFORE, "no difference to explain"),
        (ONE_BLOCK, ONE_BLOCK, ONE_BLOCK, "too few blocks"),
    ],
)
def test_the_reading_of_offload_follows_from_the_intervals(on, off, change, says):
    assert says in offload_reading(on, off, change)


def test_blocks_are_compared_within_themselves():
    cells = [("tunnel", "on", 400), ("transport", "on", 300)]
    cells += [("tunnel", "off", 250), ("transport", "off", 250)]
    rows = [
        (block, trial, mode, gro, level * rate)
        for block, level in ((1, 1.0), (2, 0.5), (3, 1.7))
        for trial, (mode, gro, rate) in enumerate(cells)
    ]
    same = {"probe": "transfer", "metric": "rate", "unit": "Mbit/s"}
    summaries = frame("block trial mode gro value", *rows, **same)
    ratios = transport_over_tunnel(summaries, "rate").set_index(["block", "gro"])["value"]
    expected = {(block, gro): r for block in (1, 2, 3) for gro, r in (("on", 0.75), ("off", 1.0))}
    assert ratios.to_dict() == pytest.approx(expected)


def outage(clear=(0, 0), late=(0, 0), tail=(0, 0), silence=(0.05, 0.05)) -> OutageCell:
    return OutageCell(clear, late, tail, silence)


@pytest.mark.parametrize(
    ("cell", "end"),
    [
        (outage(), "protected"),
        (outage(clear=(80, 80)), "protected"),  # traffic leaked for a time
        (outage(clear=(9, 0), late=(1, 0)), "clear"),
        (outage(tail=(0, DEAD_S)), "dead"),
        (outage(tail=(0.9, 0.9)), "protected"),
        (outage(late=(40, 0), tail=(270, 0)), "clear"),  # the peer drops arriving packets
    ],
)
def test_how_an_outage_ends(cell, end):
    assert cell.end == end


def test_an_end_counts_before_packets_and_packets_before_time():
    settings = {
        "dead": [outage(), outage(tail=(400, 400), silence=(400, 400))],
        "leaks": [outage(clear=(40, 0)), outage()],
        "slow": [outage(silence=(168, 168)), outage()],
        "quick": [outage(silence=(2, 2)), outage()],
        "alike": [outage(), outage(silence=(2, 2))],
    }
    assert [name for name, _ in ranked(settings)] == ["quick", "alike", "slow", "leaks", "dead"]
    assert standing(settings["leaks"]) == (0, 40, 0.05)
    assert ranked({}) == [] and standing([]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("lost", "clear", "said"),
    [
        ((0, 0), (0, 0), "loses nothing, leaks nothing"),
        ((101, 100), (0, 0), "loses packets, leaks nothing"),
        ((0, 0), (1, 0), "loses nothing, leaks packets, unseen by a loss test of one dir"),
        ((100, 0), (100, 100), "loses packets, leaks packets, unseen by a loss test"),
        ((1, 1), (1, 1), "loses packets, leaks packets"),
        ((0, 5), (5, 5), "loses packets, leaks packets, unseen"),
    ],
)
def test_how_a_renewal_is_read(lost, clear, said):
    found = renewal_reading(lost, clear)
    assert found.startswith(said) and ("unseen" in found) == ("unseen" in said)


def test_a_renewal_takes_two_round_trips_and_what_is_computed():
    assert agrees({0: 0, 50: 100, 200: 400}, 1) is True
    assert agrees({0: 9, 50: 110, 200: 409}, 1) is True
    assert agrees({0: 0, 50: 150, 200: 600}, 1) is False, "three round trips"
    assert agrees({0: 9, 50: 100}, 1) is False, "computing is missing"
    assert agrees({50: 100, 200: 400}, 1) is None and agrees({0: 0}, 1) is None


def test_processor_time_of_both_ends():
    rows = [("left_busy", 60.0), ("right_busy", 40.0), ("throughput", 2000.0), ("other", 1.0)]
    same = {"block": 1, "trial": 1, "cpus": "all", "probe": "load", "unit": ""}
    found = busy_metrics(frame("metric value", *rows, **same), {"all": 8}, "left", "right")
    assert found.set_index("metric")["value"].to_dict() == {
        "hosts_busy": 50,
        "receiver_less_sender": -20,
        "sender_receiver_gap": 20,
        "cores_per_gbit": 2,
    }


def test_trials_whose_packets_several_processors_carried():
    counters = frame(
        "trial counter change host",
        (1, "sa_out_cpu0_packets", 5, "left"),
        (1, "sa_out_cpu1_packets", 7, "left"),
        (2, "sa_out_cpu0_packets", 5, "left"),
        (2, "sa_out_cpu1_packets", 0, "left"),
        (2, "sa_out_cpu1_packets", 9, "right"),
        (2, "sa_out_packets", 9, "left"),
        campaign="c",
        block=1,
        steering="by-flow",
        condition="per-cpu",
    )
    carried = carried_by_processor(counters, "left")
    assert list(carried["processor"]) == ["0", "1", "0", "1"]
    assert trials_carried_by_several(carried) == 1


def test_the_last_of_normal_delays_is_known():
    """Expected maxima of 1 to 5 standard normal variables, from tables of order statistics."""
    known = [0, 1 / np.sqrt(np.pi), 1.5 / np.sqrt(np.pi), 1.02938, 1.16296]
    assert [last_of(k, 1) for k in range(1, 6)] == pytest.approx(known, abs=1e-5)
    assert last_of(2, 20) == pytest.approx(11.2838, abs=1e-4)


BOTH = ["up_bulk_lost", "down_bulk_lost"]
LOST = [(1, "a", 3.0, 4.0), (2, "a", 5.0, 0.0), (1, "b", 0.0, 0.0)]
ROWS = [
    (*of, metric, n) for *of, up, down in LOST for metric, n in zip(BOTH, (up, down), strict=True)
]
TABLE = pd.DataFrame(ROWS, columns=["block", "cause", "metric", "value"])


def test_two_metrics_of_each_trial_become_one():
    lost = joined_metric(TABLE, "lost", BOTH, "sum")
    assert list(lost["value"]) == [7, 0, 5] and set(lost["metric"]) == {"lost"}
    assert most(lost, "lost", {"cause": "a"}) == 7
    assert pd.isna(most(lost, "lost", {"cause": "c"}))
    assert summed(lost, "lost", "cause", ["a", "b"]).value == 12


def table(**values: dict[str, list[float]]) -> pd.DataFrame:
    """network -> arm -> one value per block."""
    rows = [
        (block, network, arm, value)
        for network, arms in values.items()
        for arm, of_blocks in arms.items()
        for block, value in enumerate(of_blocks, 1)
    ]
    same = {"trial": 1, "probe": "latency", "metric": "rtt_mean", "unit": "ms"}
    return frame("block network arm value", *rows, **same)


def test_each_network_is_a_comparison():
    e = np.e
    found = comparisons(
        table(
            # The logarithms of b / a are 1, 2 and 3: mean 2, standard error 1 / sqrt(3).
            normal={"a": [1, 1, 1], "b": [e, e**2, e**3]},
            # 2.9, 3, 3.1: the interval excludes no effect.
            loss={"a": [1, 1, 1], "b": [e**2.9, e**3, e**3.1]},
            # Two blocks are too few, and equal values have no spread.
            delay={"a": [1, 1], "b": [2, 3]},
            rate={"a": [1, 1, 1], "b": [1, 1, 1]},
            # Within the 5 % that matter, though not equal.
            jitter={"a": [1, 1, 1], "b": [1.019, 1.02, 1.021]},
        ),
        "arm",
        ("a", "b"),
        [("latency", "rtt_mean")],
    )
    assert found[["network", "n", "false", "alike"]].values.tolist() == [
        ["normal", 3, False, False],
        ["loss", 3, True, False],
        ["jitter", 3, True, True],
    ]
    # Student's quantile for two degrees of freedom is 4.3027.
    assert found["value"].tolist() == pytest.approx([e**2, e**3, 1.02], rel=1e-5)
    assert np.log(found["low"][0]) == pytest.approx(2 - 4.3027 / np.sqrt(3), abs=1e-4)


def test_false_rates_of_sources_and_of_all():
    """Clopper and Pearson: none of 3 is false, so at most 1 - 0.025 ** (1 / 3)."""
    rates = false_rates(
        {
            "one": pd.DataFrame({"false": [False, False, False], "alike": [True, False, True]}),
            "two": pd.DataFrame({"false": [True], "alike": [False]}),
            "none": pd.DataFrame({"false": [], "alike": []}),
        }
    )
    assert rates["comparisons"].tolist() == [3, 1, 0, 4]
    assert rates["false"].tolist() == [0, 1, 0, 1]
    assert rates["alike"].tolist() == [2, 0, 0, 2]
    assert rates.loc["one", "high"] == pytest.approx(1 - 0.025 ** (1 / 3))
    assert rates.loc["two", "low"] == pytest.approx(0.025)
    assert rates.loc["all", "share"] == 0.25
    assert np.isnan(rates.loc["none", "share"])

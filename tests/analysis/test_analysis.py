"""Statistics against values known from elsewhere, and by simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from remeasure.analysis.corrections import holm
from remeasure.analysis.cost import per_megabyte
from remeasure.analysis.estimates import (
    block_bootstrap,
    blocks_needed,
    difference,
    mean_of,
    ratio,
)
from remeasure.analysis.models.clock_offsets import clock_offsets, correct_delays
from remeasure.analysis.paired_tests import paired_tests
from remeasure.analysis.published import load_published
from remeasure.analysis.summaries import paired, trial_summaries
from remeasure.studies.pratama import comparison_table

# Student's own data (Biometrika 6, 1908): extra hours of sleep under two drugs, ten patients.
SLEEP_1 = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SLEEP_2 = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])


def test_paired_t_test_on_students_sleep_data():
    test = paired_tests(SLEEP_1, SLEEP_2)
    assert test.t == pytest.approx(4.0621, abs=1e-4)
    assert test.p_t == pytest.approx(0.002833, abs=1e-6)
    assert test.p_wilcoxon == pytest.approx(stats.wilcoxon(SLEEP_2, SLEEP_1).pvalue)


def test_tests_that_are_not_defined_say_so():
    assert np.isnan(paired_tests(np.zeros(5), np.zeros(5)).p_t)
    assert np.isnan(paired_tests(np.array([1.0]), np.array([2.0])).p_t)


def test_holm_on_a_worked_example():
    # Four p values times 4, 3, 2, 1 in ascending order, made monotone.
    corrected = holm(pd.Series([0.01, 0.04, 0.03, 0.005, np.nan]))
    assert corrected[:4].tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert np.isnan(corrected[4])


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


def test_summaries_are_one_a_trial_and_pairs_one_a_block():
    rows = [
        {
            "block": b,
            "trial": t,
            "auth": auth,
            "network": "normal",
            "probe": "ping",
            "metric": "rtt",
            "unit": "ms",
            "value": value + i,
        }
        for b in (1, 2, 3)
        for t, (auth, value) in enumerate((("psk", 1.0), ("rsa", 2.0)))
        for i in range(5)
        if not (b == 3 and auth == "rsa")
    ]
    summaries = trial_summaries(pd.DataFrame(rows), ["auth", "network"])
    assert len(summaries) == 5
    pairs = paired(summaries, "ping", "rtt", "auth", network="normal")
    assert list(pairs.index) == [1, 2], "block 3 lacks a level"
    assert pairs.loc[1].to_dict() == {"psk": 3.0, "rsa": 4.0}


def test_published_numbers_of_pratama():
    table = comparison_table(load_published("pratama")).set_index("id")
    assert len(table) == 16
    row = table.loc["pratama-ike-normal"]
    assert row["rsa"] - row["psk"] == pytest.approx(10.75)
    assert table["significant"].equals(table["p"] < 0.05)


def test_delays_are_corrected_by_what_there_and_back_differ():
    """The receiver's clock is 2 ms ahead; an idle path takes 0.25 ms; trial 2 is not known."""

    def row(trial, probe, metric, value):
        return {"block": 1, "trial": trial, "probe": probe, "metric": metric, "value": value}

    observations = pd.DataFrame(
        [
            row(1, "there", "delay_min", 2.25),
            row(1, "back", "delay_min", -1.75),
            row(2, "there", "delay_min", 9.0),
            row(2, "back", "delay_min", -1.75),
            row(1, "flow", "delay_mean", 2.75),
            row(1, "flow", "jitter", 0.1),
            row(2, "flow", "delay_mean", 9.5),
            row(2, "flow", "jitter", 0.2),
            row(3, "flow", "jitter", 0.3),
            row(3, "flow", "delay_mean", 1.0),
        ]
    )
    offsets = clock_offsets(observations, "there", "back")
    assert offsets.loc[(1, 1)].to_dict() == {"offset": 2.0, "bound": 0.25}
    found = correct_delays(observations.query("probe == 'flow'"), offsets, limit=1)
    assert list(zip(found["trial"], found["metric"], found["value"], strict=True)) == [
        (1, "delay_mean", 0.75),
        (1, "jitter", 0.1),
        (2, "jitter", 0.2),
        (3, "jitter", 0.3),
    ]


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
    found = per_megabyte(counters, observations, ["suite"], "cpu_ms", ["l", "r"], "cost", "ms/MB")
    assert found["value"].tolist() == [40]
    assert set(found.columns) == {*keys, "value", "metric", "unit"}


def test_blocks_needed_for_half_a_standard_deviation():
    """t / sqrt(n) first falls to 0.5 at n = 18, as tables of sample sizes have it."""
    ten = stats.t.ppf(0.975, 9) / np.sqrt(10)
    assert blocks_needed(ten, 10, goal=0.5) == 18
    assert np.isnan(blocks_needed(ten, 10, goal=0.001))
    assert np.isnan(blocks_needed(float("nan"), 1, goal=0.5))

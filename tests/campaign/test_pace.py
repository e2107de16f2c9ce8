"""Trials that are measured again, and blocks that are refused, since the machine changed its pace;
on simulated blocks."""

import numpy as np
import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.pace import off_pace, spread_of_pace
from remeasure.bench.campaign.record import not_run
from remeasure.bench.campaign.round_plan import Gate
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.campaign.staging import Staging
from remeasure.bench.lab.testbeds import load_testbed
from remeasure.bench.measure.block import Block, BlockOrder

S = 10**9


def trial(before: float, after: float | None = None, **fields) -> dict:
    """A trial at these paces [s]."""
    paces = {"pace_ns": round(before * S), "pace_after_ns": round((after or before) * S)}
    return not_run(1, "not run") | paces | fields


def block(*paces: float) -> dict[int, list[dict]]:
    return {order: [trial(pace)] for order, pace in enumerate(paces, 1)}


def repeated(first: dict[int, list[dict]], pace: float) -> dict[int, list[dict]]:
    """The block after its repeats, all of them at one pace."""
    again = off_pace(first)
    return {order: [*of, trial(pace)] if order in again else of for order, of in first.items()}


def spread(attempts: dict[int, list[dict]]) -> float:
    return spread_of_pace(of[-1] for of in attempts.values())


@pytest.mark.parametrize("count", [4, 25])
def test_a_half_at_another_pace_is_measured_again_trial_by_trial(count):
    noise = np.random.default_rng(count).normal(1, 0.005, count)
    halves = block(*(np.repeat([1.0, 1.2], [count - count // 2, count // 2]) * noise))
    assert list(off_pace(halves)) == list(range(count - count // 2 + 1, count + 1))
    assert spread(halves) > Gate().spread > spread(repeated(halves, 1.01))
    assert spread(repeated(halves, 1.2)) > Gate().spread, "the machine has stayed slow"
    assert off_pace(repeated(halves, 1.5)) == {}, "once"


def test_stretches_at_half_speed_are_measured_again_and_a_steady_block_is_not():
    """As the last three of 24 trials of a quiet block on a shared machine."""
    steady = np.random.default_rng(1).normal(1, 0.03, 24)
    assert off_pace(block(*steady)) == {} and spread(block(*steady)) < Gate().spread
    found = off_pace(block(*steady[:21], *(2 * steady[21:])))
    assert list(found) == [22, 23, 24]
    assert off_pace({}) == {} and off_pace(block(1)) == {} and spread(block(1)) == 0


def test_no_trial_is_measured_again_where_most_are_off():
    off = {order: [trial(1.0, 1.2)] for order in range(1, 7)}
    usual = {order: [trial(1.0)] for order in range(7, 13)}
    assert [*off_pace(off | usual)] == [*off] and not off_pace(off | usual | {7: [trial(1.0, 1.2)]})
    assert [*off_pace({1: [trial(1.0, 1.2)]})] == [1]


BEYOND = "pace: found {} times its block's, expected within 0.15"
MOVED = "pace: found {} times as much after the trial, expected within 0.1"


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (trial(1.14), None),
        (trial(0.86), None),
        (trial(1.16), BEYOND.format(1.16)),
        (trial(0.84), BEYOND.format(0.84)),
        (trial(0.95, 1.04), None),
        (trial(0.94, 1.06), MOVED.format(1.13)),
        (trial(1.06, 0.94), MOVED.format(0.89)),
        (trial(2, verdict="accepted"), BEYOND.format("2.00")),
        (not_run(1, "not run"), None),
        (not_run(1, "not run") | {"pace_ns": 2 * S}, None),
    ],
    ids=str,
)
def test_the_bounds_of_a_trial(one, reason):
    found = off_pace(block(*[1.0] * 9) | {10: [one]})
    assert found == ({10: reason} if reason else {})


def test_repeats_move_no_bound():
    """A block that is resumed among its repeats goes on with the same trials."""
    halves = block(1, 1, 1, 1.2, 1.2, 1.2)
    resumed = halves | {5: [*halves[5], trial(1.3)]}
    assert list(off_pace(halves)) == [4, 5, 6] and list(off_pace(resumed)) == [4, 6]


def test_both_attempts_are_in_the_archive_and_one_of_them_counts(tmp_path):
    path = tmp_path / "block-01.zip"
    cells = [{"a": "x"}, {"a": "y"}]
    with Staging(path) as staging:
        for order, pace in ((1, 1.0), (2, 1.5), (2, 1.1)):
            part, attempt = staging.begin(order)
            (part / "proof.txt").write_text(f"{pace}")
            fields = {"order": order, "attempt": attempt, "cell": cells[order - 1]}
            staging.finish(order, trial(pace, **fields))
            for again, reason in off_pace(staging.attempts).items():
                staging.put_aside(again, reason)
        assert staging.finished == {1, 2}
        about = {"campaign": "c", "scenario": "s", "block": 1, "profile": "smoke", "seed": 1}
        staging.write_block(about | {"order": cells, "sessions": []})
        staging.pack(keep=True)
    archive = BlockArchive(path)
    assert [one.record["attempt"] for one in archive.trials] == [1, 2]
    assert "measured_again" not in archive.trials[1].record
    (earlier,) = archive.measured_again
    assert earlier.folder == "trials/0002.attempt-1" and archive.read(f"{earlier.folder}/proof.txt")
    assert earlier.record["measured_again"].startswith("pace: found 1.50 times its block's")

    (staging.trials / "0002.attempt-1/proof.txt").write_text("another")
    staging.pack()
    with pytest.raises(UserError, match=r"0002.attempt-1/proof.txt: sha256 .* restore it"):
        BlockArchive(path).read_rest()


def test_pace_is_recorded_where_this_machine_measures():
    paced = {("quick", "lab"): True, ("release", "netns"): True, ("smoke", "lab"): False}
    paced |= {("paper", "virtual"): False, ("quick", "example-linux"): False}
    for (profile, testbed), expected in paced.items():
        order = BlockOrder("mine", "psk-rsa", 1, profile, testbed, 1)
        scenario = load_scenario("psk-rsa", profile)
        found = Block(order, scenario, load_testbed(testbed), "").paced
        assert found == expected, (profile, testbed)

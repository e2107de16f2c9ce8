"""Stalls of real processes, and of clocks: seen and unseen ones."""

import os
import signal
import subprocess
import sys
import time

import pytest

from remeasure.bench.measure.health import Doubt, run_reasons, run_verdict, stall_doubts
from remeasure.bench.testbed.record_clock import Clocks, clock_doubts, now_ns
from remeasure.bench.testbed.watching.heartbeat import OURS, STALL_S, Heartbeat
from remeasure.bench.testbed.watching.load import NO_LOAD, Use

TICKING = "import time\nprint(flush=True)\nwhile True: time.sleep(0.004)"
SLEEPING = "import sys\nprint(flush=True)\nsys.stdin.read()"


@pytest.fixture
def process():
    started = []

    def start(script: str) -> int:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        one = subprocess.Popen([sys.executable, "-c", script], **pipes)
        started.append(one)
        one.stdout.readline()
        return one.pid

    yield start
    for one in started:
        one.kill()
        one.communicate()


def stalls_of(host: str, heartbeat: Heartbeat, since: int) -> list[float]:
    return [stall["ns"] / 1e9 for stall in heartbeat.since(since) if stall["host"] == host]


@pytest.mark.parametrize("script, ticks", [(TICKING, True), (SLEEPING, False)])
def test_a_stopped_process_stands_still(process, script, ticks):
    pid = process(script)
    heartbeat = Heartbeat({"gw1": pid}, ticks)
    start = now_ns()
    os.kill(pid, signal.SIGSTOP)
    while (lasting := max(stalls_of("gw1", heartbeat, start), default=0)) <= STALL_S:
        time.sleep(0.05)
    os.kill(pid, signal.SIGCONT)
    while max((stall["ns"] / 1e9 for stall in heartbeat._stalls), default=0) < lasting:
        time.sleep(0.05)
    # The looks that found it stopped are part of the one stall, except for the first.
    assert len(stalls_of("gw1", heartbeat, start)) <= 2
    assert heartbeat.since(now_ns() + 10**9) == []
    heartbeat.stop()


def test_who_sleeps_and_never_ticks_does_not_stand_still(process):
    heartbeat = Heartbeat({"gw1": process(SLEEPING)}, ticks=False)
    start = now_ns()
    while now_ns() < start + 5e8:
        time.sleep(0.1)
    assert stalls_of("gw1", heartbeat, start) == []
    heartbeat.stop()
    assert heartbeat.cost_s > 0


def test_a_stall_makes_even_a_short_run_suspect():
    short = Use(NO_LOAD, 5, {}, [{"host": "gw1", "start_ns": 0, "ns": 1_020_000_000}])
    found = stall_doubts(short.stalls, 10**8)
    says = "host gw1 stood still for 1.02 s, expected at most 0.15 s"
    assert found == [Doubt(says, tells=True)]
    assert run_verdict(short, found) == "suspect" and run_reasons(short, found) == [says]
    assert run_verdict(short) == "unjudged"
    twice = [{"host": OURS, "start_ns": 0, "ns": ns} for ns in (2 * 10**8, 3 * 10**8)]
    (doubt,) = stall_doubts(twice, 10**9)
    assert doubt.text == (
        "the measuring process stood still 2 times, at the longest for 0.30 s and together for "
        "0.50 s, expected at most 0.15 s and 0.15 s"
    )


def test_many_short_stalls_are_as_bad_as_a_long_one():
    short = [{"host": "gw1", "start_ns": 0, "ns": 30_000_000}] * 5
    assert stall_doubts(short, 10**9) == []
    (doubt,) = stall_doubts([*short, *short], 10**9)
    assert "stood still 10 times, at the longest for 0.03 s and together for 0.30 s" in doubt.text
    assert run_verdict(Use(NO_LOAD, 200, {}), [doubt]) == "suspect"
    brief = stall_doubts([{"host": "gw1", "start_ns": 0, "ns": 80_000_000}] * 2, 360_000_000)
    assert run_verdict(Use(NO_LOAD, 72, {}), brief) == "unjudged", "two looks of twelve"
    assert stall_doubts([*short, *short], 20 * 10**9) == []


NOW = Clocks(1_800_000_000 * 10**9, 5000 * 10**9, 4000 * 10**9)


def later(wall: float = 60, boot: float = 60, awake: float = 60) -> Clocks:
    moved = (round(1e9 * seconds) for seconds in (wall, boot, awake))
    return Clocks(*(clock + by for clock, by in zip(NOW, moved, strict=True)))


@pytest.mark.parametrize(
    "after, says",
    [
        (later(), []),
        (later(wall=60.04), []),
        (later(wall=-3540), ["was set by -3600.00 s"]),
        (later(wall=61), ["was set by +1.00 s"]),
        (later(wall=90, boot=90), ["slept for 30.00 s"]),
        (later(wall=60, boot=90), ["was set by -30.00 s", "slept for 30.00 s"]),
    ],
)
def test_clocks_that_were_set(after, says):
    found = clock_doubts(NOW, after)
    assert len(found) == len(says)
    assert all(words in doubt for words, doubt in zip(says, found, strict=True))

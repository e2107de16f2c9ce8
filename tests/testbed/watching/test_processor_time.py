"""Processor time by /proc, and values computed from it."""

import os
import subprocess
import sys
import time

import pytest

from remeasure.bench.measure.health import ERROR_TICKS, doubts, run_verdict
from remeasure.bench.testbed.watching.load import NO_LOAD, LocalMeter, Use
from remeasure.bench.testbed.watching.processor_time import (
    Process,
    Processors,
    host_time,
    read_process,
    read_processes,
    read_processors,
    used_ns,
)

STAT = "cpu  10 1 20 300 7 2 3 4 0 0\ncpu0 5 0 10 150 3 1 1 2 0 0\n"
PROCESS = "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 2 3 4 11 12 13 14 20 0 1 0 5 6 7\n"


def test_processors_are_read_from_their_first_line():
    assert read_processors(STAT) == Processors(busy=36, idle=307, interrupts=5, steal=4)


def test_a_process_has_its_own_time_and_that_of_children_that_ended():
    found = Process(1, "a) b (c)", 123, (13 + 14) * 10_000_000, PROCESS)
    assert read_process(PROCESS, 123) == found


def test_processes_of_a_real_guest_are_its_kernel_and_its_programs(fixture):
    lines = fixture("linux-6.18/stat-of-a-uml-guest.txt").decode().splitlines()
    kernel, *programs = [read_process(line, 5)._replace(line="") for line in lines]
    assert kernel == Process(1, "linux", 5, (15 + 13) * 10_000_000)
    assert set(programs) == {Process(15, "uml-userspace", 5, 0)}


WORK = """\
import os, sys, time
while time.process_time() < 0.2:
    pass
child = os.fork()
while time.process_time() < 0.3:
    pass
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
own, children = time.process_time_ns(), os.times()
print(own, int((children.children_user + children.children_system) * 1e9), flush=True)
sys.stdin.read()
"""


def test_time_of_a_process_is_what_it_says_itself():
    worker = subprocess.Popen(
        [sys.executable, "-c", WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        own, children = map(int, worker.stdout.readline().split())
        found = read_processes()[worker.pid]
        # It has ended nothing but its loop since.
        assert own <= found.ns <= own + 20_000_000
        assert found.parent == os.getpid()
        assert found.children_ns == pytest.approx(children, abs=20_000_000)
    finally:
        worker.communicate()


def guest(kernel: int, program: int, ended: int) -> dict[int, Process]:
    """A guest of User Mode Linux with a helper and one program, next to another process [ms]."""
    rows = {
        10: (1, "linux", kernel, ended),
        11: (10, "linux", kernel, 0),
        12: (10, "uml-userspace", program, 0),
        13: (1, "other", 999, 999),
    }
    return {
        pid: Process(parent, name, 1_000_000 * own, 1_000_000 * children)
        for pid, (parent, name, own, children) in rows.items()
    }


def test_a_guest_s_kernel_and_programs_are_told_apart():
    before, after = guest(100, 50, 10), guest(130, 57, 40)
    assert host_time(before, after, 10) == {"ns": 97_000_000, "user_ns": 37_000_000}
    # A program that ended is counted by its parent from then on.
    del after[12]
    ended = {**after, 10: after[10]._replace(children_ns=97_000_000)}
    assert host_time(before, ended, 10) == {"ns": 97_000_000, "user_ns": 37_000_000}
    assert used_ns(ended) == used_ns(guest(130, 57, 40))
    assert host_time(before, {}, 10) is None


def work_in_step(phase: float, seconds: float = 1.0) -> float:
    """Work for 1.5 of every 4 ms, from `phase` [s] after each multiple of 4 ms. Returns its share
    of this machine's processors."""
    cores = os.sysconf("SC_NPROCESSORS_ONLN")
    begin, used = time.monotonic(), time.process_time()
    at = (begin // 0.004 + 1) * 0.004 + phase
    while at < begin + seconds:
        time.sleep(max(at - time.monotonic(), 0))
        while time.monotonic() < at + 0.0015:
            pass
        at += 0.004
    return (time.process_time() - used) / (time.monotonic() - begin) / cores


@pytest.mark.parametrize("phase", [0.0, 0.002])
def test_work_in_step_with_the_kernel_s_ticks_is_seen(phase):
    meter = LocalMeter()
    took = work_in_step(phase)
    error = ERROR_TICKS / meter.use().ticks
    assert meter.read()["busy"] >= took - error


def test_each_kind_of_load_above_its_limit_is_a_doubt():
    assert doubts({"busy": 1.0, "steal": 0.05, "foreign": 0.1}) == []
    assert doubts({"busy": 1.0, "steal": 0.06, "foreign": 0.25}) == [
        "foreign processor use 25%, expected at most 10%",
        "steal processor use 6%, expected at most 5%",
    ]


DISTURBED = {"busy": 1.0, "steal": 0.0, "foreign": 0.4}


def test_a_run_is_judged_if_ticks_can_tell():
    assert run_verdict(Use(NO_LOAD, 60, {})) == "accepted"
    assert run_verdict(Use(DISTURBED, 60, {})) == "suspect"
    assert run_verdict(Use(DISTURBED, 59, {})) == "unjudged"


def test_a_trial_bears_one_disturbed_run_of_four():
    quiet = ["accepted"] * 3
    assert doubts(NO_LOAD, [*quiet, "suspect"]) == []
    assert doubts(NO_LOAD, [*quiet[1:], "suspect", "unjudged"]) == [
        "1 of 3 runs of probes were disturbed, expected at most 25%"
    ]
    assert doubts(NO_LOAD, ["unjudged"]) == []

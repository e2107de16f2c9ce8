"""Real guests: the machine's account of their processor time, and a run that is disturbed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from real_guests import run_inside

from remeasure.bench.measure.health import doubts
from remeasure.bench.testbed.watching.load import NO_LOAD

pytestmark = [pytest.mark.lab, pytest.mark.slow]

HERE = Path(__file__).parent
WORK = """\
import os, sys, time
while os.getppid() == int(sys.argv[2]):
    if os.path.exists(sys.argv[1]):
        for _ in range(1000000):
            pass
    else:
        time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def found(shared_project, tmp_path_factory):
    file = tmp_path_factory.mktemp("disturb") / "work"
    outside = subprocess.Popen([sys.executable, "-c", WORK, str(file), str(os.getpid())])
    try:
        logs = shared_project.folder / "timed"
        return run_inside(shared_project, HERE / "inside_time.py", logs, file)
    finally:
        outside.kill()
        outside.wait()


def said_ms(of: dict) -> float:
    """What `times` of a shell printed: user and system time of itself and of its children [ms]."""
    words = of["said"].split()
    parts = [word.rstrip("s").partition("m") for word in words]
    return sum(1000 * (60 * float(minutes) + float(seconds)) for minutes, _, seconds in parts)


def split(of: dict) -> tuple[float, float]:
    """Time of left's kernel and of its programs [ms]."""
    ns, user = of["left"]["ns"], of["left"]["user_ns"]
    return (ns - user) / 1e6, user / 1e6


def test_what_programs_cost_a_guest_bounds_its_pings(found):
    cost = found["costs"]["left"]
    assert cost["start_ns"] > 0 and set(found["costs"]) == {"left", "right"}
    _, programs = split(found["ping"])
    assert programs < 3e-6 * (cost["start_ns"] + 30 * cost["echo_ns"]) + 30
    assert "programs of host" not in " ".join(found["trial"]["reasons"])


def test_a_busy_program_is_found_among_the_programs(found):
    kernel, programs = split(found["loop"])
    assert programs > 5 * kernel
    # The guest counts ticks of 10 ms, some while it was not running.
    assert 100 < programs < said_ms(found["loop"]) + 50


def test_programs_that_end_are_counted_too(found):
    kernel, programs = split(found["many"])
    assert programs > 40, "200 programs, each of which starts and ends"
    assert kernel > 20, "to start a program is work of the kernel"


def test_a_flow_is_work_of_the_kernel(found):
    kernel, programs = split(found["flow"])
    idle, _ = split(found["idle"])
    assert kernel > 3 * programs
    assert kernel > 4 * idle, "the guest also works for the command itself, more while others do"
    right = found["flow"]["right"]
    assert right["ns"] - right["user_ns"] > 3 * right["user_ns"]


def test_a_disturbed_run_is_marked_and_its_trial_bears_it(found):
    trial = found["trial"]
    assert trial["verdict"] != "rejected", trial["reasons"]
    runs = trial["runs"]
    assert [run["repeat"] for run in runs] == list(range(1, 6))
    assert runs[2]["verdict"] == "suspect"
    assert runs[2]["load"]["foreign"] > 0.1
    for run in runs:
        assert run["end_ns"] - run["start_ns"] > 1e9
        assert set(run["processors"]) == {"left", "right"}
    others = ["accepted"] * 7
    assert doubts(NO_LOAD, [*others, runs[2]["verdict"]]) == []

"""Real guests: the machine's account of their processor time, and a run that is disturbed."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from inside import guests_of, measured, scenario_of
from real_guests import run_inside

from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.lab.namespace import enter
from remeasure.bench.measure.health import doubts
from remeasure.bench.testbed.watching.load import NO_LOAD, LocalMeter

pytestmark = [pytest.mark.lab, pytest.mark.slow]
WORK = """\
import os, sys, time
while os.getppid() == int(sys.argv[2]):
    if os.path.exists(sys.argv[1]):
        for _ in range(1000000):
            pass
    else:
        time.sleep(0.01)
"""
SCENARIO = scenario_of("time")
FLOW = f"iperf3 -c {SCENARIO.topology.address('right')} -t 1 -J >/dev/null"
COMMANDS = {
    # The loop ends by its own count, so it is the same work wherever it runs.
    "loop": "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times'",
    "many": "sh -c 'for i in $(seq 200); do /bin/true; done; times'",
    "idle": "sleep 0.5",
    "flow": FLOW,
}
DISTURBED_RUN = 3


def measure_inside(folder: str, disturb: str) -> dict:
    """Processor time of work that a guest itself timed, and a trial in whose third run the file
    `disturb` is there, which makes a process outside the namespaces work."""
    enter()
    with guests_of(SCENARIO.topology) as remotes:
        guests = {role: remote.host.process for role, remote in remotes.items()}
        left, found = remotes["left"], {}
        left.run("true")
        remotes["right"].start(["iperf3", "-s"], "/run/iperf3.out")
        left.run(f"until {FLOW}; do :; done")
        for name, command in COMMANDS.items():
            meter = LocalMeter(guests).of_run()
            found[name] = {"said": left.run(command), **meter.use().hosts}
        runs = count(1)

        def on_probe() -> None:
            if next(runs) == DISTURBED_RUN:
                Path(disturb).touch()
            else:
                Path(disturb).unlink(missing_ok=True)

        found["trial"] = measured(
            SCENARIO,
            remotes,
            SCENARIO.cells[0],
            Path(folder, "logs"),
            Credentials(Path(folder, "keys")),
            on_probe=on_probe,
            meter=lambda: LocalMeter(guests),
        )
        return found


@pytest.fixture(scope="module")
def found(shared_project, tmp_path_factory):
    file = tmp_path_factory.mktemp("disturb") / "work"
    outside = subprocess.Popen([sys.executable, "-c", WORK, str(file), str(os.getpid())])
    try:
        return run_inside(shared_project, measure_inside, shared_project.folder / "timed", file)
    finally:
        outside.kill()
        outside.wait()


def said_ms(of: dict) -> float:
    """Output of `times` of a shell: user and system time of itself and of its children [ms]."""
    words = of["said"].split()
    parts = [word.rstrip("s").partition("m") for word in words]
    return sum(1000 * (60 * float(minutes) + float(seconds)) for minutes, _, seconds in parts)


def split(of: dict, host: str = "left") -> tuple[float, float]:
    """Time of a host's kernel and of its programs [ms]."""
    ns, user = of[host]["ns"], of[host]["user_ns"]
    return (ns - user) / 1e6, user / 1e6


def test_a_busy_program_and_programs_that_end_are_counted(found):
    kernel, programs = split(found["loop"])
    assert programs > 5 * kernel
    # The guest counts ticks of 10 ms, some while it was not running.
    assert 100 < programs < said_ms(found["loop"]) + 50
    kernel, programs = split(found["many"])
    assert programs > 40, "200 programs, each of which starts and ends"
    assert kernel > 20, "to start a program is work of the kernel"


def test_a_flow_is_work_of_the_kernel(found):
    kernel, programs = split(found["flow"])
    idle, _ = split(found["idle"])
    assert kernel > 3 * programs
    assert kernel > 4 * idle, "the guest also works for the command itself, more while others do"
    kernel, programs = split(found["flow"], "right")
    assert kernel > 3 * programs


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
    assert doubts(NO_LOAD, [*["accepted"] * 7, runs[2]["verdict"]]) == []

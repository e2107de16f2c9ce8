"""Programs of real processes of this machine, by the awk that hosts run."""

import os
import subprocess
import sys
from pathlib import Path

from remeasure.testbed.watching.first_line import FIRST_LINE
from remeasure.testbed.watching.running import (
    LIST_PROGRAMS,
    PROCESSES,
    TELL_PROGRAMS,
    Program,
    read_programs,
    replaced,
    strangers,
)

LIST = f"awk {PROCESSES} 'BEGIN {{ {LIST_PROGRAMS} }} {FIRST_LINE}{TELL_PROGRAMS}'"


def test_programs_of_other_sessions_are_listed_and_our_own_is_not():
    beside = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        # mawk ends with an error where a process goes between opening its file and reading it.
        for _ in range(5):
            asked = subprocess.run(
                ["sh", "-c", LIST], capture_output=True, text=True, start_new_session=True
            )
            if not asked.returncode:
                break
        assert not asked.returncode, asked.stderr
        text = asked.stdout
        found = {program.pid: program for program in read_programs(text)}
        name = Path(f"/proc/{beside.pid}/comm").read_text().strip()
        assert found[beside.pid].name == name
        assert os.getpid() in found
        assert not {"sh", "awk"} & {p.name for p in found.values() if p.pid > beside.pid}
    finally:
        beside.communicate(b"\n")


SERVER, OTHER = Program(10, 500, 3, "iperf3"), Program(11, 600, 70, "perl")


def test_what_nobody_started_is_a_stranger():
    assert strangers([SERVER, OTHER, OTHER], {"iperf3"}) == {"perl": 140}
    assert strangers([SERVER], {"iperf3"}) == {}


def test_a_server_that_is_another_process_was_started_again():
    again = Program(12, 700, 0, "iperf3")
    assert replaced([SERVER], [again], {"iperf3"}) == ["iperf3"]
    assert replaced([SERVER], [], {"iperf3"}) == ["iperf3"]
    assert replaced([SERVER], [SERVER, again], {"iperf3"}) == []
    assert replaced([SERVER], [again], set()) == []
    assert replaced([], [again], {"iperf3"}) == []
    # The number of a process may come again, but not the time at which it began.
    assert replaced([SERVER], [SERVER._replace(start=900)], {"iperf3"}) == ["iperf3"]

"""Processor time by /proc, and what is made of it."""

import os
import subprocess
import sys

import pytest

from remeasure.measure.health import doubts
from remeasure.testbed.load import LocalMeter, RemoteMeter
from remeasure.testbed.proc_stat import (
    Processors,
    all_processes,
    process_ms,
    process_tree,
    read_processors,
)

STAT = "cpu  10 1 20 300 7 2 3 4 0 0\ncpu0 5 0 10 150 3 1 1 2 0 0\n"
PROCESS = "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 2 3 4 11 12 13 14 20 0 1 0 5 6 7\n"


def test_processors_are_read_from_their_first_line():
    assert read_processors(STAT) == Processors(busy=36, interrupts=5, steal=4, total=347)


@pytest.mark.parametrize("text", ["cpu0 5 0 10 150 3 1 1 2 0 0\n", "cpu  1 2 3\n", "intr 5\n"])
def test_another_line_is_refused(text):
    with pytest.raises(ValueError, match=r"expected the line 'cpu' of /proc/stat"):
        read_processors(text)


def test_a_process_is_read_whatever_its_name():
    assert process_ms(PROCESS) == 10 * (11 + 12 + 13 + 14)
    with pytest.raises(ValueError, match=r"expected a line of /proc/<pid>/stat"):
        process_ms("7 (cut) S 1 7")


def test_a_tree_has_descendants_and_no_others():
    wait = "import sys; sys.stdin.read()"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {wait!r}])"
    child = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)
    try:
        while len(process_tree(child.pid).splitlines()) < 2:
            assert child.poll() is None
        pids = {int(line.split()[0]) for line in process_tree(child.pid).splitlines()}
        assert child.pid in pids and os.getpid() not in pids
        assert pids <= set(all_processes())
    finally:
        child.communicate()


def test_of_several_machines_the_busiest_counts():
    readings = iter(
        [
            [Processors(0, 0, 0, 0), Processors(100, 0, 0, 1000)],
            [Processors(10, 0, 50, 100), Processors(180, 0, 0, 1100)],
        ]
    )
    meter = RemoteMeter(lambda: next(readings))
    assert meter.read() == {"busy": 0.8, "steal": 0.5, "foreign": 0.0}


def test_this_machine_s_own_time_is_not_foreign():
    meter = LocalMeter()
    load = meter.read()
    assert 0 <= load["foreign"] <= load["busy"] <= 1


def test_each_kind_of_load_above_its_limit_is_a_doubt():
    assert doubts({"busy": 1.0, "steal": 0.05, "foreign": 0.1}) == []
    assert doubts({"busy": 1.0, "steal": 0.06, "foreign": 0.25}) == [
        "foreign processor use 25%, expected at most 10%",
        "steal processor use 6%, expected at most 5%",
    ]

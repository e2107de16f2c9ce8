"""A guest that leaves its core while a block is measured: its trial is rejected, and says why."""

import os
import re
import subprocess
import time

import pytest
from real_guests import add_small_scenario

from remeasure.campaign.archive import BlockArchive
from remeasure.testbed.proc_stat import process_tree

CORES = os.sched_getaffinity(0)
pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(len(CORES) < 2, reason="on one core no thread can be elsewhere"),
]


def first_guest(job: subprocess.Popen) -> int:
    """PID of a guest's kernel, as soon as there is one."""
    while job.poll() is None:
        for line in process_tree(job.pid).splitlines():
            if " (linux) " in line:
                return int(line.split()[0])
        time.sleep(0.05)
    raise AssertionError(job.stdout.read())


def test_a_guest_astray(project):
    add_small_scenario(project, "latency", one_cell=True)
    job = project.start("remeasure", "measure", "test", "small", "1", "--profile", "smoke")
    guest = first_guest(job)
    os.sched_setaffinity(guest, CORES)
    output, _ = job.communicate()
    assert job.returncode == 0, output
    (trial,) = BlockArchive(project.folder / "data/raw/test/small/block-01.zip").trials
    assert trial.record["verdict"] == "rejected"
    (failed,) = [check for check in trial.record["checks"] if not check["passed"]]
    assert failed["kind"] == "placement"
    # The job sees other PIDs, those of a namespace. What the thread starts goes with it.
    assert re.match(r"linux \d+ on \d+, \d+(, |$)", failed["found"])
    assert trial.record["reasons"] == [
        f"{failed['name']}: found {failed['found']}, expected {failed['expected']}"
    ]

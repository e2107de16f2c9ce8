"""Blocks in virtual time: the same bytes wherever, whenever and next to whatever they are made."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import copy_project
from real_guests import add_small_scenario

from remeasure.bench.base.files import file_hash
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.tidy.rows import observation_rows

pytestmark = pytest.mark.lab

MEASURE = ["remeasure", "measure", "vt", "small", "1", "--profile", "smoke", "--testbed", "virtual"]


@contextlib.contextmanager
def busy_machine() -> Iterator[None]:
    """Processes that want every processor at first, while it lasts: guests start, and the first
    trial is measured."""
    loop = [sys.executable, "-c", "import time\nwhile time.process_time() < 3: pass"]
    loops = [subprocess.Popen(loop) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for one in loops:
            one.kill()
            one.wait()


@pytest.fixture(scope="module")
def measured(shared_project):
    """A block in virtual time, killed in its second trial and resumed: its project and archive."""
    add_small_scenario(shared_project, "ike", "latency")
    archive = shared_project.folder / "data/raw/vt/small/block-01.zip"
    job = shared_project.start(*MEASURE)
    second = archive.with_suffix(".staging") / "trials/0002.part"
    for _ in range(3000):
        if any(second.glob("latency*")):
            break
        time.sleep(0.1)
    os.kill(job.pid, signal.SIGKILL)
    job.wait()
    assert any(second.iterdir()), "a trial was interrupted"
    status, output = shared_project.run(*MEASURE)
    assert status == 0, output
    return shared_project, archive


def rows(archive, metric: str, network: str) -> list[float]:
    found = observation_rows(BlockArchive(archive))
    return [r["value"] for r in found if r["metric"] == metric and r["network"] == network]


def test_every_trial_proves_its_treatment(measured):
    trials = BlockArchive(measured[1]).trials
    assert [(trial.record["verdict"], trial.record["reasons"]) for trial in trials] == [
        ("accepted", [])
    ] * 2
    kinds = {check["kind"] for trial in trials for check in trial.record["checks"]}
    assert kinds >= {"ike-sa", "child-sa", "replay-window", "probe-sa", "link", "settled"}, (
        "as on the lab"
    )


def test_what_is_measured_is_protocol_and_network(measured):
    *_, archive = measured
    assert rows(archive, "rtt", "slow")[1:] == pytest.approx([20.0] * 4, abs=0.01)
    # Only the wire: one way, an echo within ESP at 100 Mbit/s takes 0.013 ms.
    assert rows(archive, "rtt", "plain") == pytest.approx([0.017] * 5, abs=0.004)
    # IKE_SA_INIT and IKE_AUTH: two round trips.
    assert rows(archive, "ike_sa", "slow") == pytest.approx([40.0], abs=0.2)
    assert max(rows(archive, "ike_sa", "plain")) < 0.2


def test_nothing_of_the_machine_is_in_a_block(measured):
    _, archive = measured
    own = [os.uname().release, str(measured[0].folder)]
    found = BlockArchive(archive)
    for name in found.members:
        text = found.read(name)
        assert not [one for one in own if one.encode() in text], name


def test_a_release_wants_every_block_twice(measured):
    status, output = measured[0].run("remeasure", "release", "vt")
    assert status == 1
    assert "measured 1 times with these bytes, expected 2 or more" in output
    assert "remeasure repeat vt small 1" in output


@pytest.mark.slow
def test_a_block_is_the_same_elsewhere_without_a_break_and_on_a_busy_machine(measured, tmp_path):
    project, archive = measured
    other = copy_project(tmp_path / "another folder")
    add_small_scenario(other, "ike", "latency")
    campaign = Path("data/raw/vt")
    shutil.copytree(project.folder / campaign, other.folder / campaign)
    with busy_machine():
        status, output = other.run("remeasure", "repeat", "vt", "small", "1")
    assert status == 0 and "the same bytes again" in output, output
    machines = other.folder / campaign / "small/block-01.machines.json"
    both = json.loads(machines.read_text())["measured"]
    assert [one["sha256"] for one in both] == [file_hash(archive)] * 2
    assert [one["trials"] for one in both] == [1, 2], "the resumed job measured the second"

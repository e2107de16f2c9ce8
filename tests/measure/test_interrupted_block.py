"""A block that is interrupted: nothing is left running, and nothing that was finished is lost."""

import os
import signal
import subprocess
import sys
import time

import pytest
from real_guests import add_small_scenario, lab_namespaces, network_namespaces

from remeasure.bench.campaign.archive import BlockArchive

pytestmark = pytest.mark.lab


def wait_until(condition, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def killed_block(shared_project) -> dict:
    """A block whose job was killed in its second trial, then terminated there, then run again."""
    project = shared_project
    add_small_scenario(project)
    command = ["remeasure", "measure", "test", "small", "1", "--profile", "smoke"]
    staging = project.folder / "data/raw/test/small/block-01.staging"

    def end(process: subprocess.Popen, number: signal.Signals) -> bool:
        """Whether its guests and their namespaces end too."""
        spaces = lab_namespaces(process.pid)
        assert spaces
        os.kill(process.pid, number)
        return wait_until(lambda: not spaces & set(network_namespaces().values()), 10)

    # As under Snakemake: the job's parent is killed, not the job.
    parent = project.start(sys.executable, "-c", f"import subprocess; subprocess.run({command})")
    assert wait_until((staging / "trials/0002.part").exists, 120), parent.stdout.read()
    finished = (staging / "trials/0001/trial.json").read_bytes()
    gone = end(parent, signal.SIGKILL)
    # And the job itself.
    job = project.start(*command)
    again = staging / "trials/0002.part"
    assert wait_until((staging / "trials/0002.attempt-1").exists, 60), job.stdout.read()
    # Of its first probe, whichever that is: after a log of the last one the job may be done.
    logs = [f"{probe}-*" for probe in ("ike", "latency", "udp")]
    logged = wait_until(lambda: any(any(again.glob(log)) for log in logs), 60)
    assert logged, "no log of the second attempt"
    gone = end(job, signal.SIGTERM) and gone
    said, _ = job.communicate(timeout=60)
    status, output = project.run(*command)
    assert status == 0, output
    return {
        "finished": finished,
        "gone": gone,
        "terminated": (job.returncode, said.splitlines()[-1]),
        "staging": staging,
        "archive": BlockArchive(staging.with_suffix(".zip")),
        "project": project,
    }


def test_no_guest_and_no_namespace_is_left_and_a_terminated_job_says_so_in_a_line(killed_block):
    assert killed_block["gone"]
    status, line = killed_block["terminated"]
    assert status == 128 + signal.SIGTERM
    assert line.startswith("remeasure: interrupted by SIGTERM; finished trials are kept in ")


def test_a_resumed_block_keeps_what_was_finished(killed_block):
    archive = killed_block["archive"]
    assert archive.read("trials/0001/trial.json") == killed_block["finished"]
    assert [t.record["attempt"] for t in archive.trials] == [1, 3]
    assert len(archive.block["sessions"]) == 3
    kept = {n.split("/")[1] for n in archive.members if "attempt-" in n}
    assert "0002.attempt-2" in kept, "what an interrupted attempt logged is kept"
    assert not killed_block["staging"].exists()


def test_an_archive_holds_no_secret(killed_block):
    secrets = killed_block["project"].folder / ".secrets/test"
    psk = (secrets / "psk").read_bytes()
    archive = killed_block["archive"]
    for name in archive.members:
        content = archive.read(name)
        assert psk not in content and b"PRIVATE KEY" not in content, name


def test_a_measured_block_is_not_measured_again(killed_block):
    status, output = killed_block["project"].run("remeasure", "measure", "test", "small", "1")
    assert status == 1
    assert output.strip().endswith("block-01.zip: measured already")

"""A block that is interrupted: nothing is left running, nothing that was finished is lost, and no
frame of its lab is seen on any interface of this machine."""

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import nullcontext
from ipaddress import IPv4Network

import pytest
from machine_capture import Capture, networks_of_this_machine
from real_guests import add_small_scenario, lab_namespaces, network_namespaces

from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab.network import OUR_ADDRESS

pytestmark = pytest.mark.lab


def wait_until(condition, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


def networks() -> list[IPv4Network]:
    """Those of the lab, without any that this machine itself has a route to."""
    topology = load_topology("site-to-site")
    ends = [end.network for link in topology.links.values() for end in link.values()]
    control = IPv4Network(f"{OUR_ADDRESS}/24", strict=False)
    own = networks_of_this_machine()
    return [one for one in {control, *ends} if not any(one.overlaps(other) for other in own)]


def send_as_of_the_lab() -> None:
    """Send a frame to this machine's own loopback interface that looks as if it came from a lab."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind(("lo", 0))
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20, 0, 0, 64, 253, 0)
        sender.send(bytes(12) + b"\x08\x00" + ip + 2 * socket.inet_aton(OUR_ADDRESS))


@pytest.fixture(scope="module")
def capture() -> Capture | None:
    """None where this user may not capture on this machine."""
    try:
        return Capture(networks())
    except PermissionError:
        return None


@pytest.fixture(scope="module")
def killed_block(shared_project, capture):
    with capture or nullcontext():
        block = measured_at_last(shared_project)
        if capture:
            send_as_of_the_lab()
    return block


def measured_at_last(project) -> dict:
    """A block whose job was killed in its second trial, then terminated there, then run again."""
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


def test_a_kill_leaves_no_guest_and_no_namespace(killed_block):
    assert killed_block["gone"]


def test_nothing_leaves_the_lab(killed_block, capture):
    if capture is None:
        pytest.skip("this user may not capture on this machine")
    assert not capture.lost
    elsewhere = {one for one in capture.found if not one.startswith("lo: ")}
    assert not elsewhere, "frames with addresses of the lab"
    assert capture.found, "the capture sees what looks like a frame of the lab"
    assert all(OUR_ADDRESS in one for one in capture.found), "nothing but our own frame"


def test_a_job_that_is_terminated_says_so_in_a_line(killed_block):
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


def test_trials_prove_their_treatment(killed_block):
    for trial in killed_block["archive"].trials:
        assert trial.record["verdict"] != "rejected", trial.record["reasons"]
        names = {check["name"] for check in trial.record["checks"]}
        assert {
            "gw2: replay window",
            "gw1.wan: disciplines",
            "gw1.wan: rate (bit/s)",
            "gw1 authenticated by psk",
            "udp: gw2: packets of the inbound SA",
        } <= names


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

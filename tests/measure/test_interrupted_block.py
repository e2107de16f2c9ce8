"""A block that is interrupted: nothing is left running, nothing that was finished is lost, and no
frame of its lab is seen on any interface of this machine."""

import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from real_guests import add_small_scenario, lab_namespaces, network_namespaces

from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab.network import OUR_ADDRESS

pytestmark = pytest.mark.lab
EVERY_PROTOCOL = socket.htons(0x0003)  # linux/if_ether.h
STATISTICS = 6  # linux/if_packet.h
ADDRESSES = {b"\x08\x00": (26, 30), b"\x08\x06": (28, 38)}
"""type of an Ethernet frame (IPv4, ARP) -> where its two addresses begin"""


class Capture(threading.Thread):
    """Frames with addresses of the lab on every interface of this machine, outside any lab, until
    the context is left. Raises PermissionError if this process may not capture."""

    def __init__(self):
        super().__init__(daemon=True)
        self._networks, self._over = networks_of_the_lab(), threading.Event()
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, EVERY_PROTOCOL)
        with contextlib.suppress(PermissionError):
            self._socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        self._socket.settimeout(0.2)
        self.found: list[str] = []
        """interface and address of each frame"""

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()
        # Reading the statistics sets them back.
        said = self._socket.getsockopt(263, STATISTICS, 8)  # SOL_PACKET
        self.lost = struct.unpack("II", said)[1]
        self._socket.close()

    def run(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                frame, (interface, *_) = self._socket.recvfrom(128)
                for place in ADDRESSES.get(frame[12:14], ()):
                    address = IPv4Address(frame[place : place + 4].ljust(4, b"\0"))
                    if any(address in network for network in self._networks):
                        self.found.append(f"{interface}: {address}: {frame.hex()}")


def networks_of_the_lab() -> list[IPv4Network]:
    """Except for networks to which this machine itself has a route."""
    own = []
    for line in Path("/proc/net/route").read_text().splitlines()[1:]:
        row = line.split()
        destination, mask = (IPv4Address(int(row[i], 16).to_bytes(4, "little")) for i in (1, 7))
        own += [IPv4Network(f"{destination}/{mask}")] if int(mask) else []
    links = load_topology("site-to-site").links.values()
    found = {end.network for link in links for end in link.values()}
    found.add(IPv4Network(f"{OUR_ADDRESS}/24", strict=False))
    return [one for one in found if not any(one.overlaps(other) for other in own)]


def send_as_of_the_lab() -> None:
    """Send a frame to this machine's own loopback interface that looks as if it came from a lab."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind(("lo", 0))
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20, 0, 0, 64, 253, 0)
        sender.send(bytes(12) + b"\x08\x00" + ip + 2 * socket.inet_aton(OUR_ADDRESS))


def wait_until(condition, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def capture() -> Capture | None:
    """None where this user may not capture on this machine."""
    try:
        return Capture()
    except PermissionError:
        return None


@pytest.fixture(scope="module")
def killed_block(shared_project, capture):
    with capture or contextlib.nullcontext():
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


def test_nothing_leaves_the_lab(killed_block, capture):
    if capture is None:
        pytest.skip("this user may not capture on this machine")
    assert not capture.lost
    elsewhere = {one for one in capture.found if not one.startswith("lo: ")}
    assert not elsewhere, "frames with addresses of the lab"
    assert capture.found, "the capture sees what looks like a frame of the lab"
    assert all(OUR_ADDRESS in one for one in capture.found), "nothing but our own frame"


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


def test_trials_prove_their_treatment(killed_block):
    for trial in killed_block["archive"].trials:
        assert trial.record["verdict"] != "rejected", trial.record["reasons"]
        names = {check["name"] for check in trial.record["checks"]}
        assert {
            "gw2: replay window",
            "gw1.wan: disciplines",
            "gw1.wan: rate (bit/s)",
            "gw1 authenticated by psk",
            "udp: gw2: packets of the inbound SAs",
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

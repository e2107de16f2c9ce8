"""Hosts that are namespaces of the running kernel: measured within a guest, whose kernel has ESP
whatever the kernel of this machine has."""

import shutil
from pathlib import Path

import pytest
from real_guests import (
    add_small_scenario,
    run_inside,
)

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab.affinity import PROOF

pytestmark = pytest.mark.lab
HERE = Path(__file__).parent


def measured(project, found: dict, scenario: str) -> BlockArchive:
    """The block that inside_netns.py brought."""
    assert found[scenario].endswith("status 0\n"), found[scenario]
    return BlockArchive(project.folder / f"data/raw/namespaces/{scenario}/block-01.zip")


@pytest.mark.slow
def test_treatments_are_proven_between_namespaces(project):
    add_small_scenario(project, "latency", "udp", one_cell=True)
    found = run_inside(project, HERE / "inside_netns.py", project.folder, "uml", "1", "small")
    block = measured(project, found, "small")
    (trial,) = block.trials
    # Other tests run beside this one. A guest that waits for its core meanwhile takes that for
    # foreign use, and its trial is suspect.
    assert trial.record["verdict"] != "rejected", trial.record["reasons"]
    (session,) = block.block["sessions"]
    hosts = ("client1", "gw1", "gw2", "client2")
    guests = {"backend": "netns", "accelerator": "none", "cpus": 1, "placement": "shared"}
    guests |= dict.fromkeys(("own_machine", "own_kernel", "emulated", "virtual_clock"), False)
    guests |= {"cores": {host: [0] for host in hosts}, "harness": [0]}
    assert session["guests"] == guests
    assert found["small"].count("lab: this process may use one core of the machine (core 0)") == 1
    proof = block.read(f"{trial.folder}/{PROOF}").decode()
    assert {line.split("\t")[0] for line in proof.splitlines()} == {*hosts, "(harness)"}
    for gone in ("charon", "iperf", "our0", "link0"):
        assert gone not in found["left behind"]


@pytest.mark.skipif(bool(shutil.which("swanctl")), reason="this machine has strongSwan")
def test_what_this_machine_lacks_is_listed_before_anything_is_done(project):
    status, output = project.run(
        "remeasure", "measure", "x", "psk-rsa", "1", "--profile", "smoke", "--testbed", "netns"
    )
    assert status == 1 and len(output.splitlines()) == 1
    assert output.startswith("remeasure: the testbed is not ready: this machine: ")
    assert "tool swanctl missing" in output
    assert not (project.folder / "data/raw/x").exists()

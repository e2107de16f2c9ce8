"""Machines of an inventory: lab guests, reached like external machines."""

import json
from pathlib import Path

import pytest
from real_guests import add_small_scenario, run_inside

from remeasure.bench.campaign.archive import BlockArchive

pytestmark = [pytest.mark.lab, pytest.mark.slow]
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def found(shared_project):
    add_small_scenario(shared_project, "latency", "udp", one_cell=True)
    return run_inside(shared_project, HERE / "inside_machines.py", shared_project.folder)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("a wrong key", "host machine-gw1 (tester@10.66.0.2:2222): login refused with key "),
        (
            "a wrong host key",
            "machine-gw1 (tester@10.66.0.2:2222): its host key is not the one expected",
        ),
        ("no sudo", "host machine-gw1: tester is not root; say `sudo: true` if it may become so"),
        ("a tool is missing", "machine-gw2: tool iperf3 missing package iperf3"),
        ("a jump host that does not answer", "jump host of machine-gw2 (tester@10.66.0.77:2222): "),
        ("an interface that is not there", "machine-client1: interfaces.site1: no interface eth9"),
        (
            "the interface of the SSH connection",
            "machine-client1: interfaces.site1: control carries the SSH connection; "
            "it is not touched",
        ),
        (
            "a port of a bridge",
            "machine-client2: interfaces.site2: site2 is part of br0; take it out first",
        ),
        (
            "a queueing discipline",
            "machine-client2: interfaces.site2: site2 has a queueing discipline (netem); "
            "remove it first",
        ),
        (
            "an interface that systemd-networkd manages",
            "machine-client2: interfaces.site2: site2 is managed by systemd-networkd; "
            "say `Unmanaged=yes` in the section Link of its .network file first",
        ),
        (
            "an interface that NetworkManager manages",
            "machine-client2: interfaces.site2: site2 is managed by NetworkManager; "
            "say `nmcli device set site2 managed no` first",
        ),
        ("two roles", "machine-client1: has several roles of topology site-to-site"),
    ],
)
def test_what_is_wrong_is_one_clear_line(found, what, message):
    said = found["errors"][what]
    assert message in said and "\n" not in said, said


def test_nothing_is_changed_by_what_is_wrong(found, shared_project):
    assert found["untouched"]
    assert not (shared_project.folder / "data/raw/wrong").exists()


def test_trials_are_accepted(found, shared_project):
    status, output = found["measured"]
    assert status == 0, output
    block = BlockArchive(shared_project.folder / "data/raw/campaign-of-machines/small/block-01.zip")
    assert len(block.trials) == len(block.block["order"])
    for trial in block.trials:
        assert trial.record["verdict"] == "accepted", trial.record["reasons"]
    (session,) = block.block["sessions"]
    assert session["guests"]["backend"] == "ssh"
    assert session["hosts"]["gw1"]["tools"]["swanctl"].startswith("strongSwan")
    assert "cbc(aes)" in session["hosts"]["gw1"]["crypto"]


def test_nothing_tells_how_to_get_to_a_machine(found, shared_project):
    campaign = shared_project.folder / "data/raw/campaign-of-machines"
    block = BlockArchive(campaign / "small/block-01.zip")
    for text in ((campaign / "campaign.yaml").read_text(), json.dumps(block.block["sessions"])):
        assert "machine-gw1" in text
        for private in ("10.66.0", "tester", "2222", "id_ed25519", "jump"):
            assert private not in text


def test_machines_are_as_they_were(found):
    assert found["after"] == found["before"]


def test_machines_are_as_they_were_after_a_kill(found):
    assert found["killed"] == found["before"]

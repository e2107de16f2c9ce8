"""Guests of a lab, and connections to them; an interactive lab."""

import subprocess
from pathlib import Path

import pytest
from real_guests import network_namespaces, run_inside

pytestmark = pytest.mark.lab

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def session(shared_project):
    return run_inside(shared_project, HERE / "inside_lab.py")


def test_a_lab_ends_with_its_namespace(session):
    assert session["namespace"] not in network_namespaces().values()


def test_a_guest_that_dies_is_one_clear_line(session):
    assert session["dead"].startswith("host client1 (root@10.66.0.1:22): ")
    assert session["died"] == "lab: guest client1 was killed by signal 9 (Killed)"


def test_guests_answer_and_reach_each_other(session):
    assert session["hostname"] == "gw1"
    assert "1 received" in session["ping"]


def test_guests_that_do_not_boot_are_started_once_more(session):
    assert session["started again"] == ["client1", "gw1", "gw2", "client2"]
    assert session["said"].startswith("lab: guest client1 not ready after 0.5 s: ")
    assert session["said"].endswith("; all guests are started once more\n")


def test_nothing_leaves_the_lab(session):
    assert "exit" in session["way_out"]


def test_commands_that_fail_or_hang_say_so(session):
    assert session["failed"].startswith("gw1: exit 2: ls /nowhere: ")
    assert session["late"] == "gw1: no end after 0.5 s: sleep 5"
    assert [c["exit"] for c in session["commands"][:3]] == [0, 2, None]
    assert session["background"] == "done\n"


def test_commands_that_go_together_answer_one_by_one(session):
    assert session["together"] == ["no-end", "", "1\n2\n", ""]
    assert session["one of them failed"] == "gw1: exit 1: echo why >&2; false: why"
    assert session["one of them ended it"] == ["first\n", "second\n"]


def test_a_host_forgets_what_it_learnt_of_a_path(session):
    assert "mtu 1400" in session["learnt"]
    assert "mtu" not in session["forgotten"]


def test_keys_are_checked_both_ways(session):
    assert "its host key is not the one expected" in session["wrong_host_key"]
    assert "login refused" in session["wrong_key"]


def test_an_interactive_lab_has_ssh_by_name(project):
    project.environment["SHELL"] = "/bin/sh"
    process = project.start("remeasure", "lab", "site-to-site", stdin=subprocess.PIPE)
    output, _ = process.communicate("ssh -n gw2 hostname -I\n")
    assert process.returncode == 0
    assert "client1 ---------- gw1" in output
    assert "192.168.20.254" in output.splitlines()[-1]

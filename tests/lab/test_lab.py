"""Guests of a lab, and connections to them; an interactive lab."""

import io
import os
import signal
import subprocess
import time
from contextlib import redirect_stderr
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from inside import said
from real_guests import network_namespaces, run_inside

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.testbeds import Backend, LabTestbed
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.instructions import ANY
from remeasure.bench.testbed.treatments.receiving import forgetting
from remeasure.bench.testbed.treatments.treatment import apply

pytestmark = pytest.mark.lab
TOPOLOGY = load_topology("site-to-site")


def look_inside() -> dict:
    enter()
    usual = LabTestbed(name="lab", backend="uml").backend_for(ANY)
    lab = Lab(TOPOLOGY, usual)
    with lab as inventory:
        gateway, client = (Remote(inventory.host(name)) for name in ("gw1", "client1"))
        found = commands_of(gateway, client) | path_of(gateway, client)
        os.kill(client.host.process, signal.SIGKILL)
        found["dead"] = said(lambda: client.write("/run/x", "x"))
        found["died"] = said(lambda: [guest.check_alive() for guest in lab.guests])
    return found | started_again(usual)


def commands_of(remote: Remote, client: Remote) -> dict:
    commands = []
    remote.on_command = commands.append
    found = {
        "namespace": str(Path("/proc/self/ns/net").readlink()),
        "hostname": remote.run(["hostname"]).strip(),
        "failed": said(lambda: remote.run(["ls", "/nowhere"])),
        "late": said(lambda: remote.run(["sleep", "5"], timeout=0.5)),
        "commands": [asdict(command)["exit"] for command in commands],
        "together": remote.run_each(["printf no-end", "echo aside >&2", "seq 2", "true # end"]),
        "one failed": said(lambda: remote.run_each(["seq 2", "echo why >&2; false", "seq 3"])),
        "one ended it": remote.run_each(["echo first; exit 0", "echo second"]),
        "ping": client.run(["ping", "-c", "1", TOPOLOGY.address("client2")]),
        "way_out": said(lambda: client.run(["ping", "-c", "1", "-W", "1", "192.0.2.1"])),
    }
    remote.start(["sh", "-c", "sleep 0.2; echo done"], "/run/late")
    time.sleep(0.6)
    return found | {"background": remote.read("/run/late").decode()} | files_of(remote)


def files_of(remote: Remote) -> dict:
    """A file by SFTP, and one through another command, which SFTP does not reach."""
    content, found = bytes(range(256)) * 999, {}
    for name, way in (("by SFTP", remote), ("through env", Remote(remote.host, ["env"]))):
        way.run("echo old >/run/file; chmod 644 /run/file; ln -f /run/file /run/link")
        way.write("/run/file", content)
        found[name] = [
            way.read("/run/file") == content,
            way.run("stat -c %a /run/file; cat /run/link").split(),
            said(lambda way=way: way.read("/nowhere")),
            said(lambda way=way: way.write("/nowhere/x", "x")),
        ]
    return found


def path_of(gateway: Remote, client: Remote) -> dict:
    """A router with a smaller MTU teaches client1 the path's; `forgetting` makes it unlearn."""
    far = TOPOLOGY.address("client2")
    gateway.run(["ip", "link", "set", gateway.host.interfaces["wan"], "mtu", "1400"])
    client.run(["ping", "-c", "1", "-W", "1", "-M", "do", "-s", "1472", far], check=False)
    learnt = client.run(["ip", "route", "get", far])
    apply(forgetting(["client1"]), {"client1": client})
    return {"learnt": learnt, "forgotten": client.run(["ip", "route", "get", far])}


def started_again(usual: Backend) -> dict:
    """The guests of a lab's first start sleep, and only they have little time."""
    starts = []

    def network(*_):
        starts.append("a network")
        if len(starts) == 2:
            lab.backend = usual
        return usual.kind.network(TOPOLOGY, usual.cpus)

    def make_asleep(name, folder):
        guest = usual.make(name, folder)
        start = guest.start
        guest.start = lambda *given: (start(*given), os.kill(guest.process, signal.SIGSTOP))
        return guest

    hasty = replace(usual.kind, network=network, boot_limit_s=0.5)
    lab = Lab(TOPOLOGY, usual._replace(kind=hasty, make=make_asleep))
    with redirect_stderr(io.StringIO()) as told, lab as inventory:
        names = [Remote(host).run(["hostname"]).strip() for host in inventory.hosts]
    return {"started again": names, "said": told.getvalue()}


@pytest.fixture(scope="module")
def session(shared_project):
    return run_inside(shared_project, look_inside)


def test_a_lab_ends_with_its_namespace_and_nothing_leaves_it(session):
    assert session["namespace"] not in network_namespaces().values()
    assert "exit" in session["way_out"]


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


def test_commands_that_fail_or_hang_say_so(session):
    assert session["failed"].startswith("gw1: exit 2: ls /nowhere: ")
    assert session["late"] == "gw1: no end after 0.5 s: sleep 5"
    assert session["commands"][:3] == [0, 2, None]
    assert session["background"] == "done\n"


def test_commands_that_go_together_answer_one_by_one(session):
    assert session["together"] == ["no-end", "", "1\n2\n", ""]
    assert session["one failed"] == "gw1: exit 1: echo why >&2; false: why"
    assert session["one ended it"] == ["first\n", "second\n"]


def test_files_come_and_go_by_either_way(session):
    for way in ("by SFTP", "through env"):
        same, mode_and_link, unread, unwritten = session[way]
        assert same and mode_and_link == ["600", "old"], way
        assert unread.startswith("gw1: ") and "No such file" in unread
        assert unwritten.startswith("gw1: ") and (
            "No such file" in unwritten or "nonexistent" in unwritten
        )


def test_a_host_forgets_what_it_learnt_of_a_path(session):
    assert "mtu 1400" in session["learnt"]
    assert "mtu" not in session["forgotten"]


def test_an_interactive_lab_has_ssh_by_name(project):
    project.environment["SHELL"] = "/bin/sh"
    project.environment.pop("PYTHONUNBUFFERED", None)  # a user's pipe is not read line by line
    process = project.start("remeasure", "lab", "site-to-site", stdin=subprocess.PIPE)
    output, _ = process.communicate("ssh -n gw2 hostname -I\n")
    assert process.returncode == 0
    assert "client1 ---------- gw1" in output
    assert "192.168.20.254" in output.splitlines()[-1]

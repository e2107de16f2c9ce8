"""Facts of hosts: the same in whichever shell a host is asked, and on every back end."""

import subprocess
from pathlib import Path

import pytest
from inside import guests_of
from real_guests import run_inside

from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.testbeds import VirtualTestbed
from remeasure.bench.measure.virtual_hosts import VirtualHosts
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.instructions import ANY
from remeasure.bench.testbed.watching import facts
from remeasure.bench.testbed.watching.readiness import Needs

SYSCTLS = {name: Path(path) for name, path in facts._FILES.items()}
TOOLS = {"ip": Tool(["ip", "-V"], "iproute2")}
TOPOLOGY = load_topology("host-to-host")


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_the_whole_first_line_of_a_file_is_told(shell):
    found = facts._read(subprocess.check_output([shell, "-c", facts._ASK], text=True))
    there = {name: path.read_text().strip() for name, path in SYSCTLS.items() if path.exists()}
    assert {name: found[name] for name in there} == there
    assert {found[name] for name in SYSCTLS if name not in there} <= {""}
    assert all(found[name] for name in ("os", "kernel", "cpus", "memory_kib"))


def facts_of_guests() -> dict:
    enter()
    with guests_of(TOPOLOGY) as remotes:
        return facts.facts_of(remotes, TOOLS)


def facts_in_virtual_time() -> dict:
    testbed = VirtualTestbed(name="virtual", backend="virtual", memory_mib=256)
    hosts = VirtualHosts(testbed, TOPOLOGY, Needs(TOOLS))
    hosts.require({ANY})
    with hosts:
        return facts.facts_of(hosts.remotes(), TOOLS)


@pytest.mark.lab
def test_a_host_has_the_same_facts_in_virtual_time(shared_project):
    """Guests of both have the same image, kernel and memory."""
    lab = run_inside(shared_project, facts_of_guests)
    virtual = run_inside(shared_project, facts_in_virtual_time)
    assert lab.keys() == virtual.keys()
    for role, real in lab.items():
        found = virtual[role]
        assert found.keys() == real.keys()
        assert found["offloads"].keys() == real["offloads"].keys()
        # Facts that come from a machine, a clock or a network differ.
        alike = {"os", "kernel", "cpus", "tools", *SYSCTLS} - {"tcp_rmem", "tcp_wmem"}
        assert {name: found[name] for name in alike} == {name: real[name] for name in alike}
        # The kernel computes the last of three sizes of buffers from the memory.
        for name in ("memory_kib", "tcp_rmem", "tcp_wmem"):
            sizes = [[int(word) for word in of[name].split()] for of in (found, real)]
            assert sizes[0] == pytest.approx(sizes[1], rel=0.01), name

"""Hosts that are namespaces, where they cannot be made."""

import os
import socket

import pytest

from remeasure.errors import UserError
from remeasure.lab import netns
from remeasure.lab.commands import run_ip, run_tool
from remeasure.lab.netns import NetnsHost
from remeasure.lab.testbeds import LabTestbed


class Dies(NetnsHost):
    def command(self, ends: list[socket.socket | str]) -> list[str]:
        return ["sh", "-c", "echo unshare: no; exit 1"]


def test_a_host_that_ends_at_once_says_why(tmp_path):
    with pytest.raises(UserError, match="lab: guest left did not boot: unshare: no"):
        Dies("left", tmp_path / "left", 1).start([], {})


def test_what_a_tool_says_is_in_the_error():
    with pytest.raises(UserError, match="^lab: sh -c .*: what it said / and more$"):
        run_tool(["sh", "-c", "echo what it said >&2; echo and more >&2; exit 3"])
    with pytest.raises(UserError, match="lab: false: exit 1"):
        run_tool(["false"])
    with pytest.raises(UserError, match="lab: tool-of-nobody is not installed"):
        run_tool(["tool-of-nobody"])
    with pytest.raises(UserError, match="lab: ip -batch -: .*nothing"):
        run_ip("link set nothing up")


def test_only_processors_that_we_may_run_on(tmp_path, monkeypatch):
    monkeypatch.setattr(netns.os, "sched_getaffinity", lambda pid: {9, 3, 5})
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    pinned = NetnsHost("left", tmp_path, 2).command(["veth0"])
    assert pinned[:4] == ["taskset", "-c", "3,5", "unshare"]
    assert NetnsHost("left", tmp_path, 3).command(["veth0"])[0] == "unshare"
    assert LabTestbed(name="n", backend="netns").backend_for(None).cpus == 3

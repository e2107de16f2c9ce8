"""Hosts that are namespaces, where they cannot be made."""

import socket

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.namespace import run_ip, run_tool
from remeasure.bench.lab.netns import NetnsHost


class Dies(NetnsHost):
    def command(self, ends: list[socket.socket | str]) -> list[str]:
        return ["sh", "-c", "echo unshare: no; exit 1"]


def test_a_host_that_ends_at_once_says_why(tmp_path):
    with pytest.raises(UserError, match="lab: guest left did not boot: unshare: no"):
        Dies("left", tmp_path / "left").start([], {})


def test_what_a_tool_says_is_in_the_error():
    with pytest.raises(UserError, match="^lab: sh -c .*: what it said / and more$"):
        run_tool(["sh", "-c", "echo what it said >&2; echo and more >&2; exit 3"])
    with pytest.raises(UserError, match="lab: false: exit 1"):
        run_tool(["false"])
    with pytest.raises(UserError, match="lab: tool-of-nobody is not installed"):
        run_tool(["tool-of-nobody"])
    with pytest.raises(UserError, match="lab: ip -batch -: .*nothing"):
        run_ip("link set nothing up")

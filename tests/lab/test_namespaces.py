"""Hosts that are namespaces, where they cannot be made."""

import queue
import socket

import pytest
from real_guests import run_inside

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.commands import run_ip, run_tool
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.netns import NetnsHost
from remeasure.bench.lab.relay import Relay


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


def relay_inside() -> dict:
    """What is said of a control network whose tap goes down."""
    enter()
    relay = Relay("control")
    run_ip("link set control up", "link add other type bridge", "link set other up")
    relay.start()
    told: queue.Queue[str] = queue.Queue()
    relay.watch(told.put)
    run_ip("link set other down", "addr add 10.66.0.254/24 dev control")
    before = told.qsize()
    run_ip("link set control down")
    return {"before": before, "told": told.get(timeout=30)}


def test_a_tap_that_goes_down_is_noticed_while_nobody_sends(project):
    told = "lab: the control network failed: tap control: Network is down; every guest is cut off"
    assert run_inside(project, relay_inside) == {"before": 0, "told": told}

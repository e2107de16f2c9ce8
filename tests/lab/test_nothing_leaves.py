"""While a block is measured, no frame of its lab is seen on any interface of this machine."""

import socket
import struct
from ipaddress import IPv4Network

import pytest
from machine_capture import Capture, networks_of_this_machine
from real_guests import add_small_scenario

from remeasure.lab.network import OUR_ADDRESS
from remeasure.topology import load_topology

pytestmark = pytest.mark.lab


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


def test_nothing_leaves(shared_project):
    add_small_scenario(shared_project, "latency", "udp", one_cell=True)
    try:
        capture = Capture(networks())
    except PermissionError:
        pytest.skip("this user may not capture on this machine")
    with capture:
        status, output = shared_project.run(
            "remeasure", "measure", "captured", "small", "1", "--profile", "smoke"
        )
        send_as_of_the_lab()
    assert status == 0, output
    assert not capture.lost
    ours = {one for one in capture.found if not one.startswith("lo: ")}
    assert not ours, "frames with addresses of the lab"
    assert capture.found, "the capture sees what looks like a frame of the lab"
    assert all(OUR_ADDRESS in one for one in capture.found), "nothing but our own frame"

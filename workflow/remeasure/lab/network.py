"""The lab's network: a pair of sockets for each link between two guests.

Interfaces of the links carry only what the experiment sends. A control network of its own joins
every guest to us, for SSH:

    us 10.66.0.254 --- tap "control", relay --- guests 10.66.0.1, 10.66.0.2, ...

Guests are not joined by taps, on which a frame was now and then not noticed until the next one
came. (Presumably because Linux signals a frame on a tap before epoll has it, and a guest on another
core looks too early.)
"""

import socket
import subprocess
from pathlib import Path

from remeasure.lab.relay import Relay, pair
from remeasure.lab.topology import Topology

CONTROL = "control"
OUR_ADDRESS = "10.66.0.254"


def control_address(index: int) -> str:
    """Address of the index-th guest (from 0) on the control network."""
    return f"10.66.0.{index + 1}"


def make_network(topology: Topology) -> dict[str, list[socket.socket]]:
    """Make our end of the control network in the current network namespace, and all links.

    Returns host -> a socket for each of its interfaces: control first, then its links in order.
    """
    relay = Relay(CONTROL)
    lines = ["link set lo up", f"link set {CONTROL} up", f"addr add {OUR_ADDRESS}/24 dev {CONTROL}"]
    # Our own IPv6 chatter has no place on the network; a kernel without IPv6 has none.
    for switch in Path("/proc/sys/net/ipv6/conf").glob("*/disable_ipv6"):
        switch.write_text("1")
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
    ends = {host: [relay.port()] for host in topology.hosts}
    for hosts in topology.links.values():
        for host, end in zip(hosts, pair(), strict=True):
            ends[host].append(end)
    relay.start()
    return ends


def guest_script(topology: Topology, host: str) -> str:
    """What a guest runs to have its interfaces (vec0 is control, then its links in order)."""
    index = topology.hosts.index(host)
    addresses = {CONTROL: f"{control_address(index)}/24"}
    addresses |= {link: str(address) for link, address in topology.links_of(host).items()}
    lines = []
    for i, (link, address) in enumerate(addresses.items()):
        lines += [f"ip link set vec{i} name {link}", f"ip addr add {address} dev {link}",
                  f"ip link set {link} up"]
    for destination, gateway in topology.routes.get(host, {}).items():
        lines.append(f"ip route add {destination} via {gateway}")
    lines += [f"hostname {host}", "sysctl -qw net.ipv4.ip_forward=1",
              # A gateway that sends redirects would change the route of the next packet.
              "sysctl -qw net.ipv4.conf.all.send_redirects=0"]
    return "\n".join(lines) + "\n"

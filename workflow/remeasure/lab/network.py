"""The lab's network: a tap for each interface of a guest, a bridge for each link.

Interfaces of the links carry only what the experiment sends. A control network of its own joins
every guest to us, for SSH:

    us 10.66.0.254 --- bridge "control" --- guests 10.66.0.1, 10.66.0.2, ...
"""

import subprocess
from pathlib import Path

from remeasure.lab.topology import Topology

CONTROL = "control"
OUR_ADDRESS = "10.66.0.254"


def control_address(index: int) -> str:
    """Address of the index-th guest (from 0) on the control network."""
    return f"10.66.0.{index + 1}"


def make_network(topology: Topology) -> dict[str, list[str]]:
    """Make taps and bridges in the current network namespace.

    Returns host -> its taps: the control network first, then its links in order.
    """
    lines = ["link set lo up"]
    taps: dict[str, list[str]] = {host: [] for host in topology.hosts}
    bridges = {CONTROL: topology.hosts, **{k: list(v) for k, v in topology.links.items()}}
    for i, hosts in enumerate(bridges.values()):
        lines += [f"link add br{i} type bridge mcast_snooping 0", f"link set br{i} up"]
        for host in hosts:
            tap = f"tap{i}.{topology.hosts.index(host)}"
            taps[host].append(tap)
            lines += [f"tuntap add {tap} mode tap", f"link set {tap} master br{i} up"]
    lines.append(f"addr add {OUR_ADDRESS}/24 dev br0")
    # Our own IPv6 chatter has no place on the links; a kernel without IPv6 has none.
    for switch in Path("/proc/sys/net/ipv6/conf").glob("*/disable_ipv6"):
        switch.write_text("1")
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
    return taps


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

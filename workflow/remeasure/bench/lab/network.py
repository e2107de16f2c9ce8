"""The network of a lab of guests: each link is a pair of sockets, or a pair of taps.

The links carry only what the experiment sends. A separate control network joins this process with
every guest, for SSH:

    this process 10.66.0.254 --- tap "control", relay --- guests 10.66.0.1, 10.66.0.2, ...

Links between guests of User Mode Linux are sockets: on taps, a guest now and then noticed a frame
only when the next one came. (Presumably Linux signals a frame on a tap before epoll can see it, and
a guest on another core looks too early.) Links between guests of QEMU are taps, because only a tap
has several queues.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import IPv4Interface, IPv4Network, ip_interface
from pathlib import Path
from typing import TYPE_CHECKING

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.commands import bring_up, run_ip
from remeasure.bench.lab.guest import End
from remeasure.bench.lab.relay import Relay, pair
from remeasure.bench.testbed.borrowing.namespace_setup import address_lines, router_lines

if TYPE_CHECKING:  # the command line reads the names of back ends, and is to start at once
    from remeasure.bench.base.topology import Topology

CONTROL = "control"
OUR_ADDRESS = "10.66.0.254"
_CONTROL_NETWORK = IPv4Network("10.66.0.0/24")
_OURS = re.compile(rf"{CONTROL}|(vec|eth|their|link)[0-9]+[ab]?")
"""names that interfaces of guests have, at least until they are named after their links"""


def control_address(index: int) -> str:
    """IPv4 address of a guest on the control network; `index` counts from 0."""
    return f"10.66.0.{index + 1}"


def require_apart(topology: Topology) -> None:
    """Raises UserError naming what a link of this topology has in common with the control
    network."""
    for link, ends in topology.links.items():
        if _OURS.fullmatch(link):
            raise UserError(
                f"topology {topology.name}: links.{link}: a lab has interfaces of that name; "
                "choose another"
            )
        for host, address in ends.items():
            if address.version == 4 and address.network.overlaps(_CONTROL_NETWORK):
                raise UserError(
                    f"topology {topology.name}: links.{link}.{host}: found {address}, expected an "
                    f"address beyond {_CONTROL_NETWORK}, by which a lab reaches its hosts"
                )
    for host, routes in topology.routes.items():
        for destination in routes:
            if destination.version == 4 and destination.subnet_of(_CONTROL_NETWORK):
                raise UserError(
                    f"topology {topology.name}: routes.{host}: found {destination}, expected no "
                    f"part of {_CONTROL_NETWORK}, by which a lab reaches its hosts"
                )


class Network:
    """All links of a topology, and the control network, in the current network namespace.

    `queues` is the number of queues of each tap; with 0 a link is a pair of sockets instead of
    taps.
    """

    def __init__(self, topology: Topology, queues: int = 0):
        self._relay = Relay(CONTROL)
        # With IPv6 this namespace would send packets of its own. A kernel may lack IPv6.
        for switch in Path("/proc/sys/net/ipv6/conf").glob("*/disable_ipv6"):
            switch.write_text("1")
        bring_up("lo")
        bring_up(CONTROL, IPv4Interface(f"{OUR_ADDRESS}/24"))
        self.ends: dict[str, list[End]] = {host: [self._relay.port()] for host in topology.hosts}
        """host -> end of each of its interfaces: the control network first, then its links in
        order"""
        self._bridges: list[str] = []
        for hosts in topology.links.values():
            ends: tuple[End, End] = self._bridged_taps(queues) if queues else pair()
            for host, end in zip(hosts, ends, strict=True):
                self.ends[host].append(end)
        self._relay.start()

    def _bridged_taps(self, queues: int) -> tuple[str, str]:
        bridge = f"link{len(self._bridges)}"
        taps = f"{bridge}a", f"{bridge}b"
        self._bridges.append(bridge)
        # Without multicast snooping a bridge sends nothing of its own.
        run_ip(f"link add {bridge} type bridge mcast_snooping 0", f"link set {bridge} up")
        for tap in taps:
            run_ip(
                f"tuntap add {tap} mode tap{' multi_queue' * (queues > 1)}",
                f"link set {tap} master {bridge} up",
            )
        return taps

    def watch(self, on_failure: Callable[[str], None]) -> None:
        self._relay.watch(on_failure)

    def close(self) -> None:
        """Take the network down; afterwards another one may be made."""
        self._relay.stop()
        for bridge in self._bridges:
            run_ip(f"link del {bridge}a", f"link del {bridge}b", f"link del {bridge}")


def guest_script(topology: Topology, host: str, interface: str) -> str:
    """Shell lines that configure a guest: <interface>0 is its end of the control network, and the
    next ones are its ends of its links, in order."""
    control = f"{control_address(topology.hosts.index(host))}/24"
    names = [CONTROL, *topology.links_of(host)]
    lines = [
        *(f"ip link set {interface}{i} name {name}" for i, name in enumerate(names)),
        *address_lines(CONTROL, ip_interface(control)),
        *link_lines(topology, host),
        *setting_lines(host),
    ]
    return "\n".join(lines) + "\n"


def link_lines(topology: Topology, host: str) -> list[str]:
    """Shell lines that give a host's interfaces, which are named as their links, their addresses,
    and its routes."""
    lines = [
        line
        for link, address in topology.links_of(host).items()
        for line in address_lines(link, address)
    ]
    return [*lines, *router_lines(topology.routes.get(host, {}), topology.family)]


def setting_lines(host: str) -> list[str]:
    """Shell lines that make a host a router with a name."""
    return [
        f"hostname {host}",
        "sysctl -qw net.ipv4.ip_forward=1",
        # A gateway that sends redirects would change the route of the next packet.
        "sysctl -qw net.ipv4.conf.all.send_redirects=0",
    ]

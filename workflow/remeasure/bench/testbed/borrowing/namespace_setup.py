"""Shell lines for `sh -e` that set up a private namespace: /run, /tmp, strongSwan's files,
network."""

from collections.abc import Mapping

from remeasure.bench.base.family import IPV4, IPV6, Interface, family_of
from remeasure.bench.base.topology import Topology
from remeasure.bench.testbed.tools import program

SPACES = "--net --mount --pid --uts --fork --kill-child --mount-proc --propagation private"
"""options of unshare(1) that give a host namespaces of its own, which end with it"""
REAP = "while :; do sleep 3600 & wait; done"
"""last line of the script of a PID namespace's first process, which must reap the children that
daemons leave"""

PLAIN_FILES = program("plain-files.sh")
"""shell lines for a host without strongSwan"""
OWN_FILES = f"{PLAIN_FILES}\n{program('own-files.sh')}"

OWN_NETWORK = program("own-network.sh")
"""shell lines to run before interfaces are given addresses"""

# A host that detects duplicates, asks for routers or configures itself would send packets of no
# experiment. A link that was down must have its address again.
_IPV6 = {
    "accept_dad": 0,
    "accept_ra": 0,
    "autoconf": 0,
    "router_solicitations": 0,
    "keep_addr_on_down": 1,
    "disable_ipv6": 0,
}
"""setting of an interface in /proc/sys/net/ipv6/conf -> value, in this order"""


def address_lines(interface: str, address: Interface) -> list[str]:
    """Shell lines that give an interface its address, and bring it up."""
    lines = [f"ip addr add {address} dev {interface}", f"ip link set {interface} up"]
    if family_of(address) == IPV4:
        return lines
    # Without IPv6 on lo, a host has no way to itself.
    allowed = [
        f"echo {value} >/proc/sys/net/ipv6/conf/{name}/{setting}"
        for name in ("lo", interface)
        for setting, value in _IPV6.items()
    ]
    return [*allowed, f"{lines[0]} nodad", lines[1]]


def link_lines(topology: Topology, host: str, interfaces: Mapping[str, str]) -> list[str]:
    """Shell lines that give a host's `interfaces` (link -> name) their addresses, and make it a
    router with its routes. A router asks for no other router."""
    links, routes = topology.links_of(host), topology.routes.get(host, {})
    lines = [line for link in links for line in address_lines(interfaces[link], links[link])]
    if IPV6 in topology.families:
        lines.append("echo 1 >/proc/sys/net/ipv6/conf/all/forwarding")
    for to, hop in routes.items():  # ip(8) is told a family other than the destination's
        family = "inet6 " if family_of(hop) == IPV6 != family_of(to) else ""
        lines.append(f"ip -{to.version} route add {to} via {family}{hop}")
    return lines

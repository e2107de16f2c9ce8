"""Shell lines for `sh -e` that set up a private namespace: /run, /tmp, strongSwan's files,
network."""

from collections.abc import Mapping

from remeasure.bench.base.family import IPV4, IPV6, Address, Interface, Network, family_of
from remeasure.bench.base.topology import Topology

SPACES = "--net --mount --pid --uts --fork --kill-child --mount-proc --propagation private"
"""options of unshare(1) that give a host namespaces of its own, which end with it"""
REAP = "while :; do sleep 3600 & wait; done"
"""last line of the script of a PID namespace's first process, which must reap the children that
daemons leave"""

# Trials write into /run, /tmp, and Debian's folder of strongSwan. /etc/swanctl begins empty, so
# that the machine's own configuration is not used. /etc/strongswan.d begins as a copy, since its
# files load plugins. /sys is mounted again to show the namespace's interfaces.
OWN_FILES = """\
mount -t sysfs sys /sys
mount -t tmpfs -o mode=700 tmpfs /mnt
if [ -d /etc/strongswan.d ]; then
  cp -a /etc/strongswan.d /mnt
  mount --bind /mnt/strongswan.d /etc/strongswan.d
fi
if [ -d /etc/swanctl ]; then
  mount -t tmpfs -o mode=700 tmpfs /etc/swanctl
  mkdir /etc/swanctl/private /etc/swanctl/x509 /etc/swanctl/x509ca
fi
for d in /run /tmp; do mount -t tmpfs tmpfs $d; done
mkdir -p /run/lock
"""

OWN_NETWORK = """\
ip link set lo up
sysctl -qw net.ipv4.ip_forward=1
# A gateway that sends redirects would change the route of the next packet. One switch that is on is
# enough, and a new namespace may begin with those of the machine.
for i in /proc/sys/net/ipv4/conf/*/send_redirects; do echo 0 >$i; done
for i in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >$i; done
# Neighbour discovery and autoconfiguration would put packets of no experiment on the links.
[ ! -d /proc/sys/net/ipv6 ] || \\
  sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
"""
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
    hops = {to: _hop(to, by) for to, by in routes.items()}
    return [*lines, *(f"ip -{to.version} route add {to} via {hop}" for to, hop in hops.items())]


def _hop(destination: Network, hop: Address) -> str:
    """A next hop for ip(8), which is told if its family is another than the destination's."""
    return f"inet6 {hop}" if family_of(hop) == IPV6 != family_of(destination) else str(hop)

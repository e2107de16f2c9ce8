"""A tunnel as one gateway sees it, and which tunnels Windows cannot make."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_address

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.family import IPV4
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.tunnel import Tunnel

Pairs = list[tuple[str, str]]
"""(own address, the other end's address) for each link of a host"""


@dataclass(frozen=True)
class Ends:
    """The two ends of a tunnel, and the networks behind them, as one gateway sees them."""

    tunnel: Tunnel
    gateway: str
    """role of the gateway whose view this is"""
    address: IPv4Address
    peer_address: IPv4Address
    network: IPv4Network
    peer_network: IPv4Network

    def has(self, local: str, remote: str) -> bool:
        """True if an SA between these addresses belongs to this tunnel. Windows may name the
        gateways or the networks; a prefix or a range is judged by its first address."""
        return _within(local, self.address, self.network) and _within(
            remote, self.peer_address, self.peer_network
        )


def ends_of(tunnel: Tunnel, topology: Topology, gateway: str) -> Ends:
    """The ends of a tunnel as `gateway` sees them. Raises UserError naming the field of the tunnel
    that Windows cannot set, or that no script sets."""
    fields = {
        "mode": (tunnel.mode, "tunnel"),
        "auth": (tunnel.auth, "psk"),
        "ah": (tunnel.ah, None),
        "per_cpu": (tunnel.per_cpu, "no"),
        "encap": (tunnel.encap, False),
        "on_demand": (tunnel.on_demand, False),
        "inactivity": (tunnel.inactivity, None),
        "lifecycle": (tunnel.lifecycle, type(tunnel.lifecycle)()),
        # Windows has no setting for the replay window and does not show it. A scenario that leaves
        # the window at the default is assumed not to depend on it.
        "replay_window": (tunnel.replay_window, type(tunnel).model_fields["replay_window"].default),
    }
    for field, (found, expected) in fields.items():
        if found != expected:
            raise UserError(f"tunnel.{field}: found {found}, expected {expected} on Windows hosts")
    peer = tunnel.peer(gateway)
    missing = [name for name in (gateway, peer) if name not in tunnel.protects]
    if missing:
        raise UserError(
            f"tunnel.protects: no network behind {missing[0]}; expected one on Windows hosts"
        )
    return Ends(
        tunnel,
        gateway,
        IPv4Address(topology.address(gateway, tunnel.link_of(gateway))),
        IPv4Address(topology.address(peer, tunnel.link_of(peer))),
        IPv4Network(topology.links_of(gateway)[tunnel.protects[gateway]].network),
        IPv4Network(topology.links_of(peer)[tunnel.protects[peer]].network),
    )


def require_ipv4(topology: Topology) -> None:
    """Raises UserError unless the scripts can set the addresses of a topology."""
    if topology.family != IPV4:
        raise UserError(
            f"topology {topology.name}: found addresses of {topology.family}, expected IPv4 on "
            "Windows hosts; use another topology"
        )


def _within(text: str, address: IPv4Address, network: IPv4Network) -> bool:
    try:
        found = ip_address(text.split("/")[0].split("-")[0].strip())
    except ValueError:
        return False
    return found == address or found in network

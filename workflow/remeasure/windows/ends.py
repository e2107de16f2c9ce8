"""A tunnel as one gateway sees it, and what Windows cannot make of one."""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_address

from remeasure.errors import UserError
from remeasure.ipsec.tunnel import Tunnel
from remeasure.topology import Topology

Pairs = list[tuple[str, str]]
"""own address and the other end's, of each link of a host"""


@dataclass(frozen=True)
class Ends:
    """The two ends, and the networks behind them."""

    tunnel: Tunnel
    gateway: str
    """whose view this is"""
    address: IPv4Address
    peer_address: IPv4Address
    network: IPv4Network
    peer_network: IPv4Network

    def has(self, local: str, remote: str) -> bool:
        """Whether an SA between these addresses is of this tunnel. Windows may name the gateways
        or the networks (a prefix or a range is taken by its first address)."""
        return _within(local, self.address, self.network) and _within(
            remote, self.peer_address, self.peer_network
        )


def ends_of(tunnel: Tunnel, topology: Topology, gateway: str) -> Ends:
    """Raises UserError naming what of the tunnel Windows cannot do, or we cannot ask it for."""
    fields = {
        "mode": (tunnel.mode, "tunnel"),
        "auth": (tunnel.auth, "psk"),
        "ah": (tunnel.ah, None),
        "per_cpu": (tunnel.per_cpu, "no"),
        "on_demand": (tunnel.on_demand, False),
        "inactivity": (tunnel.inactivity, None),
        # Windows has no setting for it and does not show it: the default of a scenario is taken to
        # mean that it does not matter.
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
        ip_address(topology.address(gateway, tunnel.link)),
        ip_address(topology.address(peer, tunnel.link)),
        topology.links_of(gateway)[tunnel.protects[gateway]].network,
        topology.links_of(peer)[tunnel.protects[peer]].network,
    )


def _within(text: str, address: IPv4Address, network: IPv4Network) -> bool:
    try:
        found = ip_address(text.split("/")[0].split("-")[0].strip())
    except ValueError:
        return False
    return found == address or found in network

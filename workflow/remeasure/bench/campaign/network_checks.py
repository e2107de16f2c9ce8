"""Whether the settings of a cell fit the network between its hosts."""

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.family import IPV6
from remeasure.bench.base.topology import Topology, hosts_named
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.tunnel import Tunnel


def interfaces_of(topology: Topology) -> set[str]:
    """The interfaces of all hosts, each as <host>.<link>."""
    return {f"{host}.{link}" for host in topology.hosts for link in topology.links_of(host)}


def check_network(settings: Settings, own: Topology, network: Topology, where: str) -> None:
    """Raises UserError if the network of a cell has other links than its scenario's `own`, and for
    settings that cannot be measured, or not be proven, with addresses of its families."""
    tunnel = settings.tunnel
    known, found = ({name: [*ends] for name, ends in one.links.items()} for one in (own, network))
    if known != found:
        raise UserError(
            f"{where}: topology: found {network.name}, which has other links than "
            f"{own.name}; expected the same hosts and links, with other addresses"
        )
    families = " and ".join(map(str, network.families))
    said = f"found topology {network.name}, whose addresses are of {families}"
    for name, probe in settings.probes.items():
        if IPV6 in network.families and not probe.takes_ipv6:
            raise UserError(
                f"{where}: probes.{name}: {said}; expected IPv4 for probe {probe.kind}: use "
                "another topology, or leave the probe out"
            )
    if tunnel and (why := tunnel.why_not(tunnel.families(network))):
        raise UserError(f"{where}: tunnel.{why}; {said}: use another topology or tunnel")


def check_tunnel(tunnel: Tunnel, topology: Topology, where: str) -> None:
    """Raises UserError if the topology lacks a part of the tunnel."""
    known = interfaces_of(topology)
    for field, host in hosts_named(tunnel):
        require_host(topology, host, f"{where}.{field}")
    if broken := tunnel.broken_path(topology):
        raise UserError(f"{where}.link: {broken} (topology {topology.name})")
    for host, link in tunnel.protects.items():
        if f"{host}.{link}" not in known:
            raise UserError(
                f"{where}.protects: no interface {host}.{link} in topology "
                f"{topology.name}; known: {', '.join(sorted(known))}"
            )
    if (
        isinstance(tunnel, IpsecTunnel)
        and tunnel.eap
        and not (set(topology.links_of(tunnel.aaa_host)) & set(topology.links_of(tunnel.responder)))
    ):
        raise UserError(
            f"{where}.aaa: {tunnel.aaa} is not on a link of {tunnel.responder} in topology "
            f"{topology.name}"
        )


def require_host(topology: Topology, host: str, field: str) -> None:
    """Raises UserError naming the field if the topology lacks the host in it."""
    if host not in topology.hosts:
        raise UserError(
            f"{field}: no host {host!r} in topology {topology.name}; "
            f"known: {', '.join(topology.hosts)}"
        )

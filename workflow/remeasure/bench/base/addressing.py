"""What addresses of a topology must be, so that packets take the links that it draws."""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from itertools import combinations

from remeasure.bench.base.family import IPV4, Address, Interface, Network, family_of

Ends = Mapping[str, Interface]
"""host -> its address on a link"""

_NO_LINKS = {
    ip_network(network): what
    for network, what in {
        "0.0.0.0/8": "this network",
        "127.0.0.0/8": "the host itself",
        "224.0.0.0/4": "multicast",
        "240.0.0.0/4": "reserved",
        "::/8": "no address, the host itself, addresses of IPv4",
        "fe80::/10": "addresses that every link has",
        "ff00::/8": "multicast",
    }.items()
}
"""networks in which no host can have an address (RFC 4291 and 6890) -> what they are for"""
_OF_EVERY_HOST = ("lo", "all", "default")
"""names that Linux gives an interface, or all of them in /proc/sys/net/ipv4/conf"""


def check_families(links: Mapping[str, Ends], routes: Mapping[str, Mapping[Network, str]]) -> None:
    """Raises ValueError naming the first address or route that is of another family than the first
    address of the topology."""
    first = next((address for ends in links.values() for address in ends.values()), None)
    if first is None:
        return
    said: list[tuple[str, Interface | Network]]
    said = [(f"links.{link}.{host}", a) for link, ends in links.items() for host, a in ends.items()]
    said += [(f"routes.{host}", network) for host, of_host in routes.items() for network in of_host]
    for where, found in said:
        if family_of(found) != family_of(first):
            raise ValueError(
                f"{where}: found {found}, expected {family_of(first)} as the first address, "
                f"{first}; a topology has one family, so write one topology for each"
            )


def check_link(link: str, ends: Ends) -> None:
    """Raises ValueError naming the field unless both ends can have their addresses, and reach each
    other."""
    if link in _OF_EVERY_HOST:
        raise ValueError(f"links.{link}: every host has something of that name; choose another")
    for host, address in ends.items():
        where, network = f"links.{link}.{host}: found {address}", address.network
        for kind, what in _NO_LINKS.items():
            if _overlap(network, kind):
                raise ValueError(f"{where}, which is of {kind} ({what}); expected a host's address")
        family = family_of(address)
        # RFC 3021 and 6164: a network of two addresses has none of these.
        several = network.prefixlen < family.prefix - 1
        if several and address.ip == network.network_address:
            raise ValueError(f"{where}, the address of its network; expected a host's address")
        if several and family == IPV4 and address.ip == network.broadcast_address:
            raise ValueError(f"{where}, the broadcast address; expected a host's address")
    (host, address), (other, address_of_other) = ends.items()
    if address.ip == address_of_other.ip:
        raise ValueError(
            f"links.{link}: {host} and {other} both have {address.ip}; expected two addresses"
        )
    if address.network != address_of_other.network:
        raise ValueError(
            f"links.{link}: {host} is in {address.network}, {other} in {address_of_other.network}; "
            "expected one network"
        )


def check_links_apart(links: Mapping[str, Ends]) -> None:
    """Raises ValueError naming two links whose networks overlap: a host could not tell which of
    them leads to an address."""
    networks = {link: next(iter(ends.values())).network for link, ends in links.items()}
    for (link, network), (other, of_other) in combinations(networks.items(), 2):
        if _overlap(network, of_other):
            raise ValueError(
                f"links.{other}: its network {of_other} overlaps {network} of link {link}; "
                "expected a network of its own"
            )


def check_routes(links: Mapping[str, Ends], routes: Mapping[str, Mapping[Network, str]]) -> None:
    """Raises ValueError naming a route whose next hop no link of the host has at its other end."""
    for host, of_host in routes.items():
        own = [ends for ends in links.values() if host in ends]
        reached = {address.ip for ends in own for name, address in ends.items() if name != host}
        for destination, hop in of_host.items():
            if not _is_among(hop, reached):
                known = ", ".join(map(str, sorted(reached, key=int)))
                raise ValueError(
                    f"routes.{host}.{destination}: found next hop {hop}, expected the other end of "
                    f"a link of {host}: {known}"
                )
            for ends in own:
                if _within(destination, ends[host].network):
                    raise ValueError(
                        f"routes.{host}.{destination}: on a link of {host}, which needs no route"
                    )
            _check_way_back(host, destination, links, routes)


def _check_way_back(
    host: str,
    destination: Network,
    links: Mapping[str, Ends],
    routes: Mapping[str, Mapping[Network, str]],
) -> None:
    """Raises ValueError naming a host in `destination` that has neither a link to `host` nor a
    route to one of its networks: answers would find no way."""
    networks = [ends[host].network for ends in links.values() if host in ends]
    for ends in links.values():
        for other, address in ends.items():
            reached = [e[other].network for e in links.values() if other in e]
            reached += routes.get(other, {})
            there = _within(address.network, destination)
            if there and not any(_within(one, to) for one in networks for to in reached):
                raise ValueError(
                    f"routes.{other}: found no route to {networks[0]}, expected one, since {host} "
                    f"has a route to {destination}, where {other} is"
                )


def _overlap(one: Network, other: Network) -> bool:
    return one.network_address in other or other.network_address in one


def _within(one: Network, other: Network) -> bool:
    return one.network_address in other and one.prefixlen >= other.prefixlen


def _is_among(hop: str, addresses: set[Address]) -> bool:
    try:
        return ip_address(hop) in addresses
    except ValueError:
        return False

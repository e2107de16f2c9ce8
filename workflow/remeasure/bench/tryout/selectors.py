"""Traffic selectors of swanctl.conf(5): networks, ranges and `dynamic`, with a protocol or port."""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network, summarize_address_range
from typing import NamedTuple

from remeasure.bench.tryout.conf import Section

Net = IPv4Network | IPv6Network


class Selectors(NamedTuple):
    """The traffic selectors of an end."""

    networks: list[Net]
    dynamic: bool
    """whether the end's own or virtual address is one of them"""
    protocols: set[str]
    """such as tcp/80; of selectors that are not for all"""


def read_selectors(child: Section, key: str) -> Selectors:
    """The selectors of a child. Raises Refused."""
    found, protocols = list[Net](), set[str]()
    items = child.items_of(key) or ["dynamic"]
    for item in items:
        name, _, protocol = item.partition("[")
        if name.strip() != "dynamic":
            found += networks_in(child, key, name.strip())
        protocols |= {protocol.rstrip("]")} - {""}
    return Selectors(found, any(one.startswith("dynamic") for one in items), protocols)


def networks_in(section: Section, key: str, item: str) -> list[Net]:
    """The networks of one item of a list: a network, an address or a range. Raises Refused."""
    first, dash, last = item.partition("-")
    try:
        if dash:
            return [*summarize_address_range(ip_address(first), ip_address(last))]
        return [ip_network(item, strict=False)]
    except (ValueError, TypeError):
        raise section.refuse(key, f"found {item}, expected networks such as 10.0.0.0/8") from None


def common(ones: Iterable[Net], others: Iterable[Net]) -> list[Net]:
    """The networks that two lists share, in the order of the first."""
    others = list(others)
    return [
        one if one.prefixlen >= other.prefixlen else other
        for one in ones
        for other in others
        if one.version == other.version and one.overlaps(other)
    ]


def without(nets: Iterable[Net], others: Iterable[Net]) -> list[Net]:
    """The parts of networks that others do not cover; the largest first."""
    left = list(nets)
    for other in others:
        left = [part for net in left for part in _minus(net, other)]
    return sorted(left, key=lambda net: net.prefixlen)


def _minus(net: Net, other: Net) -> list[Net]:
    if not common([net], [other]):
        return [net]
    if other.prefixlen <= net.prefixlen:
        return []
    return list(net.address_exclude(other))  # type: ignore[arg-type]

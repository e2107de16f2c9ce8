"""Traffic selectors of swanctl.conf(5): networks, ranges and `dynamic`, with a protocol or port."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network, summarize_address_range

from remeasure.bench.tryout.conf import Section

Net = IPv4Network | IPv6Network
Span = tuple[int, int, int]
"""IP version, first and last address as numbers"""


@dataclass(frozen=True)
class Selector:
    """A traffic selector."""

    networks: tuple[Net, ...]
    """its addresses; empty for `dynamic`, the end's own or virtual address"""
    protocol: str = ""
    """such as tcp/80; empty: all"""

    @property
    def spans(self) -> Iterator[Span]:
        """Its addresses."""
        for net in self.networks:
            yield net.version, int(net[0]), int(net[-1])


def read_selectors(child: Section, key: str) -> list[Selector]:
    """The selectors of a child. Raises Refused."""
    found = []
    for item in child.items_of(key) or ["dynamic"]:
        name, _, protocol = item.partition("[")
        found.append(Selector(networks_in(child, key, name.strip()), protocol.rstrip("]")))
    return found


def networks_in(section: Section, key: str, item: str) -> tuple[Net, ...]:
    """The networks of one item of a list: a network, an address or a range. Raises Refused."""
    if item == "dynamic":
        return ()
    first, dash, last = item.partition("-")
    try:
        if dash:
            return tuple(summarize_address_range(ip_address(first), ip_address(last)))
        return (ip_network(item, strict=False),)
    except (ValueError, TypeError):
        raise section.refuse(key, f"found {item}, expected networks such as 10.0.0.0/8") from None


def networks_of(selectors: Iterable[Selector]) -> list[Net]:
    """All networks, in their order."""
    return [net for one in selectors for net in one.networks]


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
    if net.version != other.version or not net.overlaps(other):
        return [net]
    if other.prefixlen <= net.prefixlen:
        return []
    return list(net.address_exclude(other))  # type: ignore[arg-type]

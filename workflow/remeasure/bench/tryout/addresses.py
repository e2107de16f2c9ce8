"""Addresses of the files and of the lab: traffic selectors, outer addresses of the gateways, and
hosts whose traffic is protected. Addresses that the files leave open are assumed, and noted."""

import re
from collections.abc import Iterable
from ipaddress import (
    IPv4Network,
    IPv6Network,
    collapse_addresses,
    ip_address,
    ip_network,
    summarize_address_range,
)
from typing import NamedTuple

from remeasure.bench.tryout.conf import Refused, Section
from remeasure.bench.tryout.pair import End, Ip, Pair, address_of, is_name

Net = IPv4Network | IPv6Network
ASSUMED = {
    4: {"left": ip_address("192.0.2.1"), "right": ip_address("198.51.100.1")},
    6: {"left": ip_address("2001:db8:1::1"), "right": ip_address("2001:db8:2::1")},
}
_BEHIND_NAT = {"left": ip_address("192.168.71.10"), "right": ip_address("192.168.72.10")}
ANYWHERE = {
    4: {"left": ip_network("198.18.1.0/24"), "right": ip_network("198.18.2.0/24")},
    6: {"left": ip_network("2001:db8:a::/64"), "right": ip_network("2001:db8:b::/64")},
}
"""networks of hosts behind ends of which no file shows a network (RFC 2544, RFC 3849)"""


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


def named_addresses(end: End, key: str, *versions: int) -> list[Ip]:
    """The addresses of `local_addrs` or `remote_addrs`, of these IP versions or of both."""
    found = [one for item in end.conn.items_of(key) if (one := address_of(item))]
    return [one for one in found if one.version in (versions or (4, 6))]


def set_outer(pair: Pair, nat: frozenset[str]) -> None:
    """Set the outer addresses of both ends, and the names that have them. `nat`: names of ends
    behind NAT. Raises Refused."""
    version = _version(pair)
    for end in pair.ends:
        if end.name in nat:
            _set_behind_nat(pair, end, version)
        else:
            end.outer = end.public = _outer(pair, end, version)
    left, right = ({end.outer, end.public} for end in pair.ends)
    for both in left & right:
        why = f"{both}: both ends have this address; expected one of its own for each"
        raise pair.right.conn.refuse("local_addrs", why)
    for end in pair.ends:
        for key, address in (("local_addrs", end.outer), ("remote_addrs", pair.peer(end).public)):
            end.names |= {one: address for one in end.conn.items_of(key) if is_name(one)}


def set_hosts(pair: Pair) -> None:
    """Set the hosts whose traffic is protected. Raises Refused."""
    for end in pair.ends:
        _set_host(pair, end)
    if len({end.host.version for end in pair.ends if end.host}) > 1:
        pair.only_set_up = "the ends protect addresses of different families"


def _version(pair: Pair) -> int:
    """The IP version that both ends can use outside."""
    found = []
    for end in pair.ends:
        peer = pair.peer(end)
        named = named_addresses(end, "local_addrs") or named_addresses(peer, "remote_addrs")
        found.append({one.version for one in named} or {4, 6})
    if shared := found[0] & found[1]:
        return min(shared)
    of_right = bool(named_addresses(pair.right, "local_addrs"))
    end, key = (pair.right, "local_addrs") if of_right else (pair.left, "remote_addrs")
    raise end.conn.refuse(
        key, f"the other end has IPv{min(found[0])} addresses; expected one family at both ends"
    )


def _outer(pair: Pair, end: End, version: int) -> Ip:
    peer = pair.peer(end)
    own = named_addresses(end, "local_addrs", version)
    named = named_addresses(peer, "remote_addrs", version)
    if own and named and not {*own} & {*named}:
        pair.notes.append(
            f"{peer.name} expects {end.name} at {named[0]}, but {end.name} has {own[0]}; if there "
            f"is NAT in front of it, add --nat {end.name}"
        )
    if known := [*(one for one in own if one in named), *own, *named]:
        return known[0]
    found = _inside(pair, end, version) or ASSUMED[version][end.name]
    end.notes.append(f"no file names its address: {found} assumed")
    return found


def _inside(pair: Pair, end: End, version: int) -> Ip | None:
    """An address in a network of the files in which the end must be."""
    peer = pair.peer(end)
    nets: list[Net] = []
    for conn, key in ((end.conn, "local_addrs"), (peer.conn, "remote_addrs")):
        for item in conn.items_of(key):
            if re.fullmatch(r"[0-9a-fA-F.:]+[-/].+", item):
                nets += networks_in(conn, key, item)
    if not read_selectors(end.tested, "local_ts").networks and not end.conn.text("vips"):
        nets += read_selectors(peer.tested, "remote_ts").networks
    nets = [net for net in nets if net.version == version and net.prefixlen]
    return _free(nets[:1], {peer.outer}) if nets else None


def _set_behind_nat(pair: Pair, end: End, version: int) -> None:
    peer = pair.peer(end)
    if version != 4:
        raise end.conn.refuse("local_addrs", f"--nat {end.name}: the lab has NAT for IPv4 only")
    end.outer = [*named_addresses(end, "local_addrs", 4), _BEHIND_NAT[end.name]][0]
    end.public = [*named_addresses(peer, "remote_addrs", 4), ASSUMED[4][end.name]][0]
    if end.outer == end.public:
        raise end.conn.refuse(
            "local_addrs", f"--nat {end.name}: {peer.name} expects it at the same address; "
            "expected a private one here, or no --nat"
        )  # fmt: skip
    end.notes.append(f"behind NAT: it has {end.outer}, and {peer.name} sees {end.public}")


def _set_host(pair: Pair, end: End) -> None:
    """The host that sends at an end, and whether it is behind the gateway."""
    peer = pair.peer(end)
    own, named = read_selectors(end.tested, "local_ts"), read_selectors(peer.tested, "remote_ts")
    if protocols := sorted(own.protocols | named.protocols):
        pair.only_set_up = f"traffic selectors are for {', '.join(protocols)} only"
    if end.conn.items_of("vips"):
        return
    mine, shared = own.networks, common(own.networks, named.networks)
    narrowed = not shared and named.dynamic and any(end.outer in net for net in mine)
    alone = any(net.num_addresses == 1 and net[0] == end.outer for net in shared or mine)
    if not mine or narrowed or alone:
        end.host = end.outer  # `dynamic`, or narrowed by the peer to the gateway itself
        return
    end.behind = True
    theirs = read_selectors(peer.tested, "local_ts").networks
    space = _space(pair, end, shared or mine, theirs)
    taken = {one for each in pair.ends for one in (each.outer, each.public, each.host) if one}
    end.host = _free(space, taken)
    end.lan = _gateway([*without(mine, theirs), *space], end.host, taken)


def _space(pair: Pair, end: End, nets: list[Net], theirs: list[Net]) -> list[Net]:
    """Networks in which a host behind an end can be, and not behind its peer. A hub may protect a
    network of which its peer protects a part."""
    peer = pair.peer(end)
    version = peer.host.version if peer.host else nets[0].version
    nets = [net for net in nets if net.version == version] or nets
    if not nets[0].prefixlen:
        return [ANYWHERE[nets[0].version][end.name]]
    parts = [
        one for one in theirs if not any(common([one], [net]) == [net] != [one] for net in nets)
    ]
    space = without([net for net in nets if net.version == nets[0].version], parts)
    if not space:
        raise end.tested.refuse(
            "local_ts", f"{peer.name} protects the same network; expected another one (the same at "
            "both ends needs NETMAP and marks)"
        )  # fmt: skip
    return space


def _free(nets: list[Net], taken: set[Ip]) -> Ip:
    """An address for a host: one that people give to hosts, if it is free."""
    for net in nets:
        last = net.num_addresses - 1
        for index in (10, 20, 2, 3, 1, 0):
            if index <= last and net[index] not in taken and (index < last or last < 2):
                return net[index]
    raise Refused(f"{nets[0]}: found no free address for a host; expected a larger network")


def _gateway(nets: list[Net], host: Ip, taken: set[Ip]) -> str:
    """The gateway's own address in the network of a host; empty if there is no space."""
    for net in collapse_addresses([net for net in nets if net.version == host.version]):  # type: ignore[type-var]
        if host in net and net.prefixlen and net.num_addresses > 4:
            free = next(net[i] for i in (1, 2, 3, 4, 5) if net[i] not in taken | {host})
            return f"{free}/{net.prefixlen}"
    return ""

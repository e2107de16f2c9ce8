"""Proof that no traffic of a tunnel left its gateways in the clear.

A packet that no policy or route sends into the tunnel leaves unchanged. It may well arrive, so a
test of loss need not show it. Each gateway counts packets that leave by the link of the tunnel,
behind IPsec and before the link's queues. The counter is a hook of the kernel with two groups of
filters (clsact in tc(8), tc-u32(8)):

    1   packets of the tunnel (ESP, AH and IKE): at least one, or the counter does not count.
        Between gateways that protect their own packets, also ICMP messages on pieces of IKE
    2   packets from this gateway's protected network to its peer's: none

A packet in pieces is counted once, by its first piece: later pieces of IKE have no port for the
first group. In IPv6 a piece has a fragment header of 8 bytes before the header of the cut packet. A
match cannot require that this header is absent. For IPv6 group 2 therefore has only the first
pieces, and two further groups follow:

    3   later pieces from and to protected addresses; between gateways that protect their own
        packets, also neighbour discovery, by which they find each other: not judged
    4   packets from and to protected addresses, in one piece: none
"""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.family import BOTH_IPV4, IPV4, IPV6, Families, Family
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.tunnel import Outer, Tunnel
from remeasure.bench.testbed.treatments.treatment import Prover, Setter

MODULES = {"sch_ingress": "NET_SCH_INGRESS", "cls_u32": "NET_CLS_U32", "act_gact": "NET_ACT_GACT"}
"""kernel module -> option of the kernel's configuration that builds it"""
HOOK = "clsact"
"""the discipline by whose filters a gateway counts packets that leave (tc(8))"""
_PIECE = "ip6 protocol 44 0xff"
"""match of tc-u32(8): a fragment of an IPv6 packet"""
_FIRST_PIECES = {4: "u16 0 0x1fff at 6", 6: "u16 0 0xfff8 at 42"}
"""version of IP -> match of tc-u32(8): the offset of a piece is 0"""
_REASSEMBLY = {
    4: "ip protocol 1 0xff match ip icmp_type 11 0xff match ip icmp_code 1 0xff",
    6: "ip6 protocol 58 0xff match u16 0x0301 0xffff at 40",
}
"""version of IP -> match of tc-u32(8): ICMP reports a piece of a packet that never came. If IP cut
a message of IKE, the kernel sends this to the peer before there is an SA"""
_REFUSED = {
    4: "ip protocol 1 0xff match ip icmp_type 3 0xff match u16 {} 0xffff at 50",
    6: "ip6 protocol 58 0xff match u8 1 0xff at 40 match u16 {} 0xffff at 90",
}
"""version of IP -> match of tc-u32(8): ICMP reports that nobody listens at a port of the tunnel"""
_NEIGHBOURS = tuple(f"ip6 protocol 58 0xff match u8 {kind} 0xff at 40" for kind in (135, 136))
"""matches of tc-u32(8): neighbour solicitations and advertisements, which only IPv6 has"""
_FILTER = re.compile(r"filter protocol (\S+) pref ([0-9]+) u32 .* fh \S+::\S+ ")
_CLEAR = ("2", "4")
"""groups of packets that the tunnel should have protected"""
_SENT = re.compile(r"\s+Sent [0-9]+ bytes ([0-9]+) pkt ")


class Counted(NamedTuple):
    """Packets that left a gateway by the link of the tunnel since the counter was set up."""

    protected: int
    """packets of the tunnel"""
    clear: int
    """packets that the tunnel should have protected, and no filter dropped"""
    filtered: bool = False
    """whether a filter drops unprotected packets"""


def clear_text_setters(
    tunnel: Tunnel | None, topology: Topology, interfaces: Mapping[str, str]
) -> list[Setter]:
    """Setters that make each gateway count from 0; none for a cell without a tunnel. `interfaces`:
    gateway -> its interface to the tunnel's link."""
    if tunnel is None:
        return []
    families = tunnel.families(topology)
    setters = []
    for gateway, interface in interfaces.items():
        own, peer = (tunnel.protected(topology, host) for host in (gateway, tunnel.peer(gateway)))
        ip, name = families.inner.match, shlex.quote(interface)
        inside = f"{ip} src {own} match {ip} dst {peer}"
        commands = [f"{{ {_remove(interface)}; tc qdisc add dev {name} {HOOK}; }}"]
        for group, match in _matches(tunnel.outer, families, inside, not tunnel.protects):
            counted = f"{_family_of(group, families).protocol} pref {group} u32 match {match}"
            action = "drop" if tunnel.filtered and group in _CLEAR else "ok"
            commands.append(f"tc filter add dev {name} egress protocol {counted} action {action}")
        setters.append(Setter(gateway, " && ".join(commands)))
    return setters


def clear_text_no_more(interfaces: Mapping[str, str]) -> list[Setter]:
    """Setters that remove the counters."""
    return [Setter(gateway, f"{_remove(name)} || true") for gateway, name in interfaces.items()]


def clear_text_provers(
    tunnel: Tunnel, topology: Topology, interfaces: Mapping[str, str], may_leak: bool
) -> Iterable[Prover]:
    """Each gateway sent nothing in the clear; `may_leak`: how much it sent is an observation."""
    families = tunnel.families(topology)
    check = partial(check_clear_text, families=families, outer=tunnel.outer, drop=tunnel.filtered)
    for gateway in tunnel.gateways:
        question = {f"proof.{gateway}.clear-text.txt": shlex.join(ask(interfaces[gateway]))}
        yield Prover(gateway, question, partial(check, gateway, may_leak))


def ask(interface: str) -> list[str]:
    """The command that prints the counters of a gateway's interface."""
    return ["tc", "-s", "filter", "show", "dev", interface, "egress"]


def read(text: str, families: Families = BOTH_IPV4, outer: Outer = IpsecTunnel.outer) -> Counted:
    """Read the output of the command of `ask`. Raises ValueError for missing or foreign filters."""
    found: dict[str, list[int]] = {"1": [], "2": []}
    filtered = "action drop" in text
    for part in re.split(r"^(?=filter )", text, flags=re.MULTILINE):
        if (head := _FILTER.match(part)) and (sent := _SENT.search(part)):
            known = head[1] == _family_of(head[2], families).protocol
            group = head[2] if known else f"{head[2]} of {head[1]}"
            found.setdefault(group, []).append(int(sent[1]))
    counts = {group: len(packets) for group, packets in found.items()}
    wanted = [
        Counter(group for group, _ in _matches(outer, families, "", own)) for own in (False, True)
    ]
    if counts not in wanted:
        expected = " or ".join(str(dict(one)) for one in wanted)
        raise ValueError(f"tc filter: found {counts} counters by group, expected {expected}")
    left = 0 if filtered else sum(found["2"] + found.get("4", []))
    return Counted(sum(found["1"]), left, filtered)


def families_in(text: str) -> Families:
    """The families whose packets the counters in the output of `ask` count."""
    first = {head[2]: head[1] for part in text.splitlines() if (head := _FILTER.match(part))}
    inner, outer = (IPV6 if first.get(n) == IPV6.protocol else IPV4 for n in ("2", "1"))
    return Families(inner, outer)


def check_clear_text(
    gateway: str,
    may_leak: bool,
    text: str,
    families: Families = BOTH_IPV4,
    outer: Outer = IpsecTunnel.outer,
    drop: bool = False,
) -> list[Check]:
    """Check a gateway's counters, and whether they `drop` packets in the clear."""
    try:
        counted = read(text, families, outer)
    except ValueError as error:
        return [Check("clear-text", f"{gateway}: counter", False, str(error), "readable counters")]
    name = f"{gateway}: packets of {outer.name}"
    counts = Check("clear-text", name, counted.protected > 0, str(counted.protected), "more than 0")
    if drop or counted.filtered:
        name = f"{gateway}: packets in the clear are dropped"
        return [counts, equal("clear-text", name, counted.filtered, drop)]
    if may_leak:
        return [counts]
    return [counts, equal("clear-text", f"{gateway}: packets in the clear", counted.clear, 0)]


def _family_of(group: str, families: Families) -> Family:
    return families.outer if group == "1" else families.inner


def _of_tunnel(outer: Outer, family: Family) -> list[str]:
    """Matches of tc-u32(8): protocols of a tunnel, and its ports as source and as target, which is
    2 bytes behind the source in a UDP header; for IPv6 also their first pieces."""
    ports = [(port, place) for port in outer.ports for place in (2, 0)]

    def behind(header: int, protocol: Callable[[int], str]) -> list[str]:
        udp = [f" match u16 {port} 0xffff at {header + place}" for port, place in ports]
        return [*map(protocol, outer.protocols), *(protocol(17) + match for match in udp)]

    matches = behind(family.header, lambda number: f"{family.match} protocol {number} 0xff")
    if family == IPV6:
        first = f"{_PIECE} match {_FIRST_PIECES[6]}"
        matches += behind(48, lambda number: f"{first} match u8 {number} 0xff at 40")
    return matches


def _matches(
    outer: Outer, families: Families, ends: str, own_packets: bool
) -> list[tuple[str, str]]:
    """Group and match of each counter. `ends` matches the addresses to be protected; `own_packets`:
    gateways protect their own packets."""
    family = families.inner
    known, first = _of_tunnel(outer, families.outer), _FIRST_PIECES[family.version]
    if own_packets and outer.refused:
        known += [_REFUSED[family.version].format(port) for port in outer.ports]
    elif own_packets:
        known.append(_REASSEMBLY[family.version])
    found = [("1", match) for match in known]
    if family == IPV4:
        return [*found, ("2", f"{ends} match {first}")]
    ignored = [f"{ends} match {_PIECE}", *(_NEIGHBOURS if own_packets else ())]
    found.append(("2", f"{ends} match {_PIECE} match {first}"))
    return [*found, *(("3", match) for match in ignored), ("4", ends)]


def _remove(interface: str) -> str:
    return f"tc qdisc del dev {shlex.quote(interface)} {HOOK} 2>/dev/null"

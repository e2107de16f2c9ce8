"""The network around two gateways: five hosts in a row.

    behindl --lanl-- left --wanl-- net --wanr-- right --lanr-- behindr

Gateways have exactly the addresses of their configurations. The router between them stands for the
path: it delays, loses and translates. It knows the way to these addresses only, as the Internet
knows no private network. A packet that reaches it unprotected is counted there, and goes no further
unless its target is a gateway. Links carry addresses of 100.64.0.0/10 and fd64::/16 as next hops;
gateways do not keep them, so IKE does not list them."""

from ipaddress import ip_interface

from remeasure.bench.base.topology import Topology
from remeasure.bench.testbed.tools import batched
from remeasure.bench.tryout.pair import End, Ip, Pair

ROUTER = "net"
SIDES = {"left": "l", "right": "r"}
_ROW = ("behindl", "left", ROUTER, "right", "behindr")
_LINKS = ("lanl", "wanl", "wanr", "lanr")
_LINK_MTU = 1500
"""MTU of all links [bytes]"""


def try_topology() -> Topology:
    """Hosts and links; their addresses are only next hops."""
    links = {
        link: {
            first: ip_interface(_hop(number, 1, 4) + "/30"),
            second: ip_interface(_hop(number, 2, 4) + "/30"),
        }
        for number, (link, first, second) in enumerate(zip(_LINKS, _ROW, _ROW[1:], strict=False), 1)
    }
    return Topology(name="try", links=links)


def host_of(end: End) -> str:
    """The host whose traffic an end protects."""
    return f"behind{SIDES[end.name]}" if end.behind else end.name


def wan_of(end: End) -> str:
    """The link between an end and the router."""
    return f"wan{SIDES[end.name]}"


def gateway_script(pair: Pair, end: End) -> str:
    """Lines for a gateway; they may run again after its links were down, or after `end.outer`
    changed."""
    wan, lan, peer = wan_of(end), f"lan{SIDES[end.name]}", pair.peer(end)
    hops = {version: _wan_hop(end, version) for version in sorted(pair.versions)}
    lines = ["set -e", *_flush(pair, wan), *_flush(pair, lan), *_use_ipv6(pair)]
    lines.append(f"{_ip(end.outer)} addr add {_bits(end.outer)} dev {wan}{_nodad(end.outer)}")
    for version, hop in hops.items():
        source = f" src {end.outer}" if end.outer.version == version else ""
        # charon's own routes name the next hop without `onlink`.
        lines.append(f"ip -{version} route replace {hop} dev {wan}")
        targets = ["default", *([_bits(peer.public)] if peer.public.version == version else [])]
        lines += [
            f"ip -{version} route replace {to} via {hop} dev {wan} onlink{source}" for to in targets
        ]
    if end.behind and end.host:
        own = end.lan or f"{_lan_hop(end, end.host.version)}/{30 if end.host.version == 4 else 64}"
        lines.append(f"{_ip(end.host)} addr add {own} dev {lan}{_nodad(end.host)}")
        lines.append(f"{_ip(end.host)} route replace {_bits(end.host)} dev {lan}")
    if end.names:
        named = "; ".join(f"echo '{ip} {name}' >>/run/hosts" for name, ip in end.names.items())
        lines.append(
            f"[ -e /run/hosts ] || {{ cp /etc/hosts /run/hosts; {named}; "
            "mount --bind /run/hosts /etc/hosts; }"
        )
    return "\n".join(batched(lines + _xfrm_interfaces(pair, end))) + "\n"


def _xfrm_interfaces(pair: Pair, end: End) -> list[str]:
    """Lines for XFRM interfaces, and for the route of the tried traffic by the outbound one."""
    inward, outward = end.if_ids
    found = []
    for number in dict.fromkeys(one for one in (outward, inward) if one not in ("", "0")):
        name = xfrm_name(number)
        found.append(
            f"ip link show {name} >/dev/null 2>&1 || "
            f"ip link add {name} type xfrm dev {wan_of(end)} if_id {int(number, 0)}"
        )
        found.append(f"ip link set {name} up")
    if host := pair.peer(end).host:
        found += route_to_host(end, host)
    return found


def route_to_host(end: End, host: Ip) -> list[str]:
    """Lines that lead an end's traffic for a host of its peer to its XFRM interface, if it has
    one."""
    outward = end.if_ids[1]
    if outward in ("", "0"):
        return []
    return [f"ip route replace {_bits(host)} dev {xfrm_name(outward)}"]


def xfrm_name(if_id: str) -> str:
    """Name of the XFRM interface with an id."""
    return f"xfrm{int(if_id, 0)}"


def behind_script(pair: Pair, end: End) -> str:
    """Lines for the host behind a gateway."""
    lan = f"lan{SIDES[end.name]}"
    lines = ["set -e", *_flush(pair, lan), *_use_ipv6(pair)]
    if end.behind and end.host:
        version = end.host.version
        hop = end.lan.partition("/")[0] or _lan_hop(end, version)
        lines.append(f"{_ip(end.host)} addr add {_bits(end.host)} dev {lan}{_nodad(end.host)}")
        lines.append(f"{_ip(end.host)} route replace default via {hop} dev {lan} onlink")
    return "\n".join(batched(lines)) + "\n"


def router_script(pair: Pair, mtu: int) -> str:
    """Lines for the router."""
    lines = ["set -e", *_use_ipv6(pair)]
    if 6 in pair.versions:
        hops = ((_wan_hop(end, 6), wan_of(end)) for end in pair.ends)
        lines += [f"ip -6 addr add {hop}/64 dev {wan} nodad" for hop, wan in hops]
    lines += [f"ip -{version} route replace blackhole default" for version in sorted(pair.versions)]
    return "\n".join([*batched([*lines, *ways(pair, mtu)]), *translation(pair)]) + "\n"


def ways(pair: Pair, mtu: int) -> list[str]:
    """Lines for the router: the ways to both gateways, whose links a path of that MTU [bytes]
    narrows."""
    narrow = f" mtu lock {mtu}" if mtu < _LINK_MTU else ""
    return [
        f"{_ip(end.outer)} route replace {_bits(end.outer)} dev {wan_of(end)}{narrow}"
        for end in pair.ends
    ]


def cut_ways(pair: Pair) -> list[str]:
    """Lines for the router that drop packets to both gateways."""
    return [f"{_ip(end.outer)} route replace blackhole {_bits(end.outer)}" for end in pair.ends]


def translation(pair: Pair) -> list[str]:
    """Lines for the router that translate the address of a gateway which its peer knows under
    another one (tc-nat(8); one address for one, ports stay); none if there is no NAT. Packets to
    the address behind NAT find no way."""
    behind = [end for end in pair.ends if end.public != end.outer]
    lines = []
    for end in pair.ends if behind else []:
        lines.append(f"tc qdisc del dev {wan_of(end)} clsact 2>/dev/null || true")
        lines.append(f"tc qdisc add dev {wan_of(end)} clsact")
        add = f"tc filter add dev {wan_of(end)} ingress protocol ip pref"
        actions = []
        for one in behind:
            if one is end:
                actions.append(f"action nat egress {one.outer} {one.public}")
            else:
                lines.append(f"{add} 1 u32 match ip dst {_bits(one.outer)} action drop")
                actions.append(f"action nat ingress {one.public} {one.outer}")
        lines.append(f"{add} 2 matchall {' pipe '.join(actions)}")
    return lines


def impairment(end: End, delay_ms: float, jitter_ms: float, loss_percent: float) -> str:
    """A command of tc(8) for the router that impairs packets to an end (tc-netem(8))."""
    jitter = f" {jitter_ms:g}ms distribution normal" if jitter_ms else ""
    loss = f" loss random {loss_percent:g}%" if loss_percent else ""
    return (
        f"qdisc replace dev {wan_of(end)} root netem delay {delay_ms:g}ms{jitter}{loss} "
        f"limit 1000000 seed {1 + (end.name == 'left')}"
    )


def guard_script(pair: Pair, end: End) -> str:
    """Lines for a gateway that drop unprotected packets to the host of its peer, as the guide's
    firewall rule does: packets of ESP, AH and IKE pass."""
    wan, peer = wan_of(end), pair.peer(end)
    lines = [f"tc qdisc add dev {wan} clsact"]
    for version in sorted(pair.versions):
        add = f"tc filter add dev {wan} egress protocol {'ip' if version == 4 else 'ipv6'}"
        ip, at = ("ip", 20) if version == 4 else ("ip6", 40)
        own = [f"match {ip} protocol {number} 0xff" for number in (50, 51)]
        own += [
            f"match {ip} protocol 17 0xff match u16 {port} 0xffff at {at + 2}"
            for port in (500, 4500)
        ]
        lines += [f"{add} pref {version} u32 {match} action pass" for match in own]
        if peer.host and peer.host.version == version:
            target = f"match {ip} dst {_bits(peer.host)}"
            lines.append(f"{add} pref {version + 10} u32 {target} action drop")
    return "\n".join(lines) + "\n"


def _hop(number: int, place: int, version: int) -> str:
    return f"100.64.{number}.{place}" if version == 4 else f"fd64:{number}::{place}"


def _wan_hop(end: End, version: int) -> str:
    """The address of the router on the link to an end."""
    return _hop(2, 2, version) if end.name == "left" else _hop(3, 1, version)


def _lan_hop(end: End, version: int) -> str:
    """The address of an end on the link to the host behind it."""
    return _hop(1, 2, version) if end.name == "left" else _hop(4, 1, version)


_IPV6 = """\
for i in /proc/sys/net/ipv6/conf/*; do
  echo 0 >$i/accept_dad; echo 0 >$i/accept_ra; echo 0 >$i/autoconf; echo 0 >$i/router_solicitations
  echo 1 >$i/keep_addr_on_down; echo 0 >$i/disable_ipv6
done
echo 1 >/proc/sys/net/ipv6/conf/all/forwarding"""


def _use_ipv6(pair: Pair) -> list[str]:
    return [_IPV6] if 6 in pair.versions else []


def _flush(pair: Pair, link: str) -> list[str]:
    """Lines that take addresses away. A gateway without a link-local one asks for no neighbour."""
    scopes = ("global", "site") if 6 in pair.versions else ()
    lines = [f"ip -6 addr flush dev {link} scope {scope}" for scope in scopes]
    return [f"ip -4 addr flush dev {link}", *lines]


def _ip(ip: Ip) -> str:
    return f"ip -{ip.version}"


def _bits(ip: Ip) -> str:
    return f"{ip}/{ip.max_prefixlen}"


def _nodad(ip: Ip) -> str:
    return " nodad" if ip.version == 6 else ""

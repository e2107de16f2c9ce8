"""The missing end of a tunnel, made from the other one: the same proposals and lifetimes, with own
and peer's settings exchanged. It takes no action of its own, unless only it can begin."""

import re
from ipaddress import ip_network
from typing import Any

from remeasure.bench.tryout.addresses import ASSUMED, named_addresses
from remeasure.bench.tryout.choice import tunnels_of
from remeasure.bench.tryout.conf import Section
from remeasure.bench.tryout.operator_files import rendered
from remeasure.bench.tryout.pair import End

_DROPPED = (
    *("start_action", "dpd_action", "close_action", "keyingtries"),
    *("updown", "hw_offload", "interface", "if_id_in", "if_id_out"),
    *("pools", "vips", "local_addrs", "remote_addrs", "local_port", "remote_port"),
    *("local_ts", "remote_ts"),
)
"""settings that are not the same at the mirrored end: actions, the machine, exchanged ones"""
_PRIVATE = [
    ip_network(one) for one in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
]
"""addresses of gateways that need NAT to reach the Internet (RFC 1918, RFC 6598)"""
_POOLS = {"0.0.0.0": "198.18.3.0/24", "::": "2001:db8:c::/64"}
"""a virtual address that may be any -> pool of the mirrored end (RFC 2544, RFC 3849)"""


def mirrored(end: End, nat: frozenset[str]) -> str:
    """The text of a swanctl.conf for the peer of an end, whose connection was chosen. `nat`: names
    of ends behind NAT."""
    conn = end.conn
    made: dict[str, Any] = _kept(conn) | _addresses(end, nat)
    for way, other in (("local", "remote"), ("remote", "local")):
        for name, one in conn.sections(way).items():
            made[other + name.removeprefix(way)] = _round(end, one, other)
    action = {} if end.can_initiate else {"start_action": "start" if conn.text("pools") else "trap"}
    made["children"] = {
        _name(name): _kept(child) | _exchanged(child, "ts") | action
        for name, child in tunnels_of(conn).items()
    }
    vips = conn.items_of("vips")
    pools = {f"mirrored{n}": {"addrs": _POOLS.get(one, one)} for n, one in enumerate(vips)}
    if pools:
        made["pools"] = ", ".join(pools)
    if given := [end.conf.section("pools").section(name) for name in conn.items_of("pools")]:
        made["vips"] = ", ".join("::" if ":" in one.text("addrs") else "0.0.0.0" for one in given)
    conf = {"connections": {_name(end.connection): made}} | ({"pools": pools} if pools else {})
    return rendered(Section.of(conf))


def _name(name: str) -> str:
    """A name that swanctl.conf(5) allows: ipsec.conf(5) allows more."""
    return re.sub("[.:]", "-", name)


def _kept(section: Section) -> dict[str, str]:
    return {k: v for k, v in section.items() if isinstance(v, str) and k not in _DROPPED}


def _exchanged(section: Section, *ways: str) -> dict[str, str]:
    """Settings such as local_ts and remote_ts of the other end."""
    pairs = [(f"local_{way}", f"remote_{way}") for way in ways]
    both = [*pairs, *(pair[::-1] for pair in pairs)]
    return {key: section.text(other) for key, other in both if section.text(other)}


def _addresses(end: End, nat: frozenset[str]) -> dict[str, str]:
    """Addresses and ports. An end behind NAT is named nowhere."""
    made = _exchanged(end.conn, "port", "addrs")
    own = named_addresses(end, "local_addrs")
    if "left" in nat and (not own or any(own[0] in net for net in _PRIVATE)):
        made.pop("remote_addrs", None)
    if not end.can_initiate and not own:
        made["remote_addrs"] = str(ASSUMED[4][end.name])
    if "right" in nat:
        made.pop("local_addrs", None)
    return made


def _round(end: End, one: Section, way: str) -> dict[str, str]:
    """A round of authentication of the mirrored end; `way`: whose it is there. Its own certificate
    is made, and a peer's certificate needs no name, but a raw key does."""
    made = {k: one.text(k) for k in ("auth", "id", "round", "pubkeys", "eap_id") if one.text(k)}
    if way == "remote":
        # A client leaves the method to its server.
        return made | ({"auth": "eap-mschapv2"} if made.get("auth") == "eap" else {})
    if certificates := one.text("certs"):
        made["certs"] = certificates
    if made.get("auth", "").startswith("eap") and "%" in made.get("eap_id", "%"):
        made["eap_id"] = _secret_owner(end, "eap", "mirrored")
    if re.search(r"[%*]", made.get("id", "%any")):
        made.pop("id", None)
        if made.get("auth") == "psk" and (owner := _secret_owner(end, "ike", "")):
            made["id"] = owner
    return made


def _secret_owner(end: End, kind: str, default: str) -> str:
    """The first identity of the end's secrets that is not its own."""
    own = {one.text("id") for one in end.rounds("local")} | {*end.conn.items_of("local_addrs")}
    for secret in end.conf.section("secrets").sections(kind).values():
        for key, value in secret.items():
            if key.startswith("id") and value not in own:
                return str(value)
    return default

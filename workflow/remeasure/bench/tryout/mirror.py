"""The missing end of a tunnel, made from the other one: the same proposals and lifetimes, with own
and peer's settings exchanged. It takes no action of its own, unless only it can begin."""

import re
from typing import Any

from remeasure.bench.tryout.addresses import assumed_address, is_private, own_addresses
from remeasure.bench.tryout.choice import tunnels
from remeasure.bench.tryout.conf import Section
from remeasure.bench.tryout.operator_files import rendered
from remeasure.bench.tryout.pair import End

_ACTIONS = ("start_action", "dpd_action", "close_action", "keyingtries")
_OF_MACHINE = ("updown", "hw_offload", "interface", "pools", "vips", "if_id_in", "if_id_out")
_POOLS = {"0.0.0.0": "198.18.3.0/24", "::": "2001:db8:c::/64"}
"""a virtual address that may be any -> pool of the mirrored end (RFC 2544, RFC 3849)"""
_ANY_VERSION = {4: "0.0.0.0", 6: "::"}


def mirrored(end: End, nat: frozenset[str]) -> str:
    """The text of a swanctl.conf for the peer of an end, whose connection was chosen. `nat`: names
    of ends behind NAT."""
    conn = end.conn
    made: dict[str, Any] = {
        k: v for k, v in conn.items() if not isinstance(v, Section) and k not in _drop()
    }
    made |= _addresses(end, nat)
    for way, other in (("local", "remote"), ("remote", "local")):
        for name, one in conn.sections(way).items():
            made[other + name.removeprefix(way)] = _round(end, one, other)
    begins = not end.can_initiate
    made["children"] = {
        name: _child(child, "" if not begins else "start" if conn.text("pools") else "trap")
        for name, child in tunnels(conn).items()
    }
    pools: dict[str, Any] = {}
    for number, address in enumerate(conn.items_of("vips")):
        pools[f"mirrored{number}"] = {"addrs": _POOLS.get(address, address)}
    if pools:
        made["pools"] = ", ".join(pools)
    if given := conn.items_of("pools"):
        made["vips"] = ", ".join(_any(end.conf.section("pools").section(pool)) for pool in given)
    conf = {"connections": {end.connection: made}} | ({"pools": pools} if pools else {})
    return rendered(Section.of(conf))


def _drop() -> tuple[str, ...]:
    return (*_ACTIONS, *_OF_MACHINE, "local_addrs", "remote_addrs", "local_port", "remote_port")


def _addresses(end: End, nat: frozenset[str]) -> dict[str, str]:
    """Addresses and ports. An end behind NAT is named nowhere."""
    conn, made = end.conn, {}
    own = own_addresses(end)
    hidden = "left" in nat and not (own and not is_private(own[0]))
    if conn.text("local_addrs") and not hidden:
        made["remote_addrs"] = conn.text("local_addrs")
    if not end.can_initiate and not own:
        made["remote_addrs"] = str(assumed_address(end.name))
    if conn.text("remote_addrs") and "right" not in nat:
        made["local_addrs"] = conn.text("remote_addrs")
    for key, other in (("local_port", "remote_port"), ("remote_port", "local_port")):
        if conn.text(other):
            made[key] = conn.text(other)
    return made


def _round(end: End, one: Section, way: str) -> dict[str, str]:
    """A round of authentication of the mirrored end; `way`: whose it is there. Its own certificate
    is made, and a peer's certificate needs no name, but a raw key does."""
    made = {k: one.text(k) for k in ("auth", "id", "round", "pubkeys", "eap_id") if one.text(k)}
    if way == "remote":
        # A client leaves the method to its server.
        return made | ({"auth": "eap-mschapv2"} if made.get("auth") == "eap" else {})
    made |= {k: one.text(k) for k in ("certs",) if one.text(k)}
    if made.get("auth", "").startswith("eap") and "%" in made.get("eap_id", "%"):
        made["eap_id"] = _secret_owner(end, "eap", "mirrored")
    if re.search(r"[%*]", made.get("id", "%any")):
        made.pop("id", None)
        if made.get("auth") == "psk" and (owner := _secret_owner(end, "ike", "")):
            made["id"] = owner
    return made


def _secret_owner(end: End, kind: str, default: str) -> str:
    """The first identity of the end's secrets that is not its own."""
    own = {one.text("id") for one in end.rounds("local")} | {str(one) for one in own_addresses(end)}
    for secret in end.conf.section("secrets").sections(kind).values():
        for key, value in secret.items():
            if key.startswith("id") and value not in own:
                return str(value)
    return default


def _child(child: Section, action: str) -> dict[str, str]:
    made = {
        k: v
        for k, v in child.items()
        if k not in (*_ACTIONS, *_OF_MACHINE, "local_ts", "remote_ts")
    }
    for key, other in (("local_ts", "remote_ts"), ("remote_ts", "local_ts")):
        if child.text(other):
            made[key] = child.text(other)
    return made | ({"start_action": action} if action else {})


def _any(pool: Section) -> str:
    return _ANY_VERSION[6 if ":" in pool.text("addrs") else 4]

"""Many IKE_SAs between two gateways, each with a CHILD_SA for two addresses of its own.

The initiator has a connection for each of them. The responder has one connection, for all
addresses, and narrows it to the two that the initiator names (RFC 7296, section 2.9). strongSwan
needs two settings for that, or it looks as if all went well: with `unique = never` an IKE_SA does
not replace the one before, and with `reuse_ikesa = no` children do not share one IKE_SA.
"""

from ipaddress import IPv4Network
from typing import Any

_INITIATORS, _RESPONDERS = IPv4Network("10.1.0.0/16"), IPv4Network("10.2.0.0/16")
"""networks of the addresses behind the two ends; no host has them, since nothing is sent"""


def child_name(number: int) -> str:
    """Name of the child of the initiator's connection `number`, from 0."""
    return f"k{number}"


def network(initiates: bool) -> IPv4Network:
    """The network of all addresses behind an end; `initiates`: the initiator."""
    return _INITIATORS if initiates else _RESPONDERS


def addresses(number: int) -> tuple[str, str]:
    """The addresses that CHILD_SA `number` protects, behind the initiator and the responder."""
    return f"{_INITIATORS[number + 1]}/32", f"{_RESPONDERS[number + 1]}/32"


def connections(count: int, initiates: bool, one: dict[str, Any]) -> dict[str, Any]:
    """Connections of a gateway, as swanctl.conf(5) has them by name, made from `one` of a tunnel
    with a single child; `initiates`: of the initiator."""
    ((name, child),) = one["children"].items()
    base = one | {"unique": "never"}
    if not initiates:
        whole = {"local_ts": str(_RESPONDERS), "remote_ts": str(_INITIATORS)}
        return {name: base | {"children": {name: child | whole}}}
    made = {}
    for number in range(count):
        own, peer = addresses(number)
        selectors = {"local_ts": own, "remote_ts": peer}
        made[f"c{number}"] = base | {"children": {child_name(number): child | selectors}}
    return made

"""Whether two tools agree: what a probe says it received, and what the SA that must have carried
it counted while it ran (without IPsec: the interface it must have come in by)."""

import json
from dataclasses import dataclass

from remeasure.checks import Check
from remeasure.ipsec.sas import KernelSa, read_xfrm_state

CONTROL_PACKETS = 400
"""allowance for a probe's own control connection, in packets"""


@dataclass(frozen=True)
class Carried:
    """What a probe says went to one host, in IP packets before IPsec."""

    receiver: str
    least_packets: int
    """that what arrived can have come in"""
    most_packets: int
    """that can have been sent, retransmissions included"""
    least_bytes: int = 0
    """of payload that arrived: what to go by where kernels count what they will split later (of up
    to 64 KiB) as one packet"""


def inbound(xfrm_state: str) -> KernelSa | None:
    """The one inbound SA of a gateway's listing, if there is exactly one."""
    sas = [sa for sa in read_xfrm_state(xfrm_state) if sa.direction == "in"]
    return sas[0] if len(sas) == 1 else None


def check_by_sa(where: str, carried: Carried, before: str, after: str) -> list[Check]:
    """The inbound SA must have moved by at least the packets that arrived, and by no more than
    those that can have been sent."""
    first, last = inbound(before), inbound(after)
    if not first or not last or first.spi != last.spi:
        return [
            Check(
                "probe-sa", f"{where}: inbound SA", False, "not one and the same", "one, unchanged"
            )
        ]
    return _checks(
        "probe-sa",
        f"{where}: %s of the inbound SA",
        carried,
        last.packets - first.packets,
        last.bytes - first.bytes,
    )


def check_by_sas(where: str, carried: Carried, before: str, after: str) -> list[Check]:
    """The same of all inbound SAs together, of which more may be negotiated meanwhile (one a
    processor, RFC 9611)."""
    first, last = (
        {sa.spi: sa for sa in read_xfrm_state(text) if sa.direction == "in"}
        for text in (before, after)
    )
    if gone := sorted(set(first) - set(last)):
        return [
            Check(
                "probe-sa",
                f"{where}: inbound SAs",
                False,
                f"{', '.join(gone)} gone",
                "all still there",
            )
        ]
    packets, size = (
        sum(getattr(sa, what) for sa in last.values())
        - sum(getattr(sa, what) for sa in first.values())
        for what in ("packets", "bytes")
    )
    return _checks("probe-sa", f"{where}: %s of the inbound SAs", carried, packets, size)


def check_by_link(
    where: str, carried: Carried, interface: str, before: str, after: str
) -> list[Check]:
    """Compare with the packets an interface received, from two listings of `ip -s -j link`."""
    first, last = (
        next(link["stats64"]["rx"] for link in json.loads(text) if link["ifname"] == interface)
        for text in (before, after)
    )
    return _checks(
        "probe-interface",
        f"{where}: %s received on {interface}",
        carried,
        *(last[what] - first[what] for what in ("packets", "bytes")),
    )


def _checks(kind: str, name: str, carried: Carried, packets: int, size: int) -> list[Check]:
    most = int(carried.most_packets * 1.02) + CONTROL_PACKETS
    checks = [
        Check(
            kind,
            name % "packets",
            carried.least_packets <= packets <= most,
            str(packets),
            f"{carried.least_packets} to {most}, from what the probe received",
        )
    ]
    if carried.least_bytes:
        checks.append(
            Check(
                kind,
                name % "bytes",
                size >= carried.least_bytes,
                str(size),
                f"at least {carried.least_bytes}, what the probe received",
            )
        )
    return checks

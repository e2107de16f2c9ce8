"""Whether a probe and a counter agree on what one host received.

The counter belongs to the SA that must have carried it. Without IPsec it belongs to the interface
by which it must have come in. A probe tells payload, counters tell packets, and TCP is free to cut
bytes into packets as it likes. So the counter must lie between two bounds: the fewest packets that
can have held what arrived, and the most that can have been sent to make it arrive.
"""

import json
from dataclasses import dataclass

from remeasure.bench.base.checks import Check
from remeasure.bench.ipsec.sas import KernelSa, read_xfrm_state

SEGMENT = 1460
"""the most payload in a TCP segment, at an MTU of 1500 without options [bytes]"""
SHORT_SEGMENT = 1300
"""payload in a full TCP segment where tunnel and options take the most of the MTU [bytes]"""
SUPER_SEGMENT = 65536
"""the most payload that a kernel counts as one packet where it splits segments later [bytes]"""
FRAGMENT = 1376
"""IP payload in a packet that a gateway sends through ESP, at least, at an MTU of 1500 [bytes]"""
FRAGMENT_OF_IPV6 = 1336
"""the same, had packets headers of IPv6, and pieces a header of 8 bytes more [bytes]"""
SHORT_OR_RESENT = 1.5
"""packets sent for each full one that arrived, at most: one in three may be short, sent again, or
lost behind the counter"""
MISCOUNT = 1.02
"""packets counted for each one sent, at most: the two counters are not read at the same time"""
CONTROL_PACKETS = 400
"""packets of a probe's own control connection, at most, where the probe knows no better"""
FEW = 5
"""packets that are late, or come twice, at most"""


def fewest_segments(size: float, largest: int = SEGMENT) -> int:
    """The fewest TCP packets that can hold `size` bytes, of at most `largest` bytes each."""
    return int(size / largest)


def most_segments(size: float, smallest: int = SHORT_SEGMENT) -> int:
    """The most TCP packets that can have been sent for `size` bytes to arrive, where a full one
    holds `smallest` bytes."""
    return int(size * SHORT_OR_RESENT / smallest)


@dataclass(frozen=True)
class Carried:
    """What went to one host according to a probe, in IP packets before IPsec."""

    receiver: str
    """the host"""
    least_packets: int
    """the fewest packets that can have held the payload that arrived"""
    most_packets: int
    """the most packets that can have been sent, retransmissions included"""
    least_bytes: int = 0
    """payload that arrived [bytes], where packets are no lower bound because kernels count
    super-segments; 0 elsewhere"""
    control_packets: int = CONTROL_PACKETS
    """packets of the probe's own control connection beyond `most_packets`, at most"""


def inbound(xfrm_state: str) -> list[KernelSa]:
    """The inbound SAs of a gateway's listing."""
    return [sa for sa in read_xfrm_state(xfrm_state) if sa.direction == "in"]


def check_by_sa(where: str, carried: Carried, before: str, after: str) -> list[Check]:
    """Compare with the packets that the inbound SA counted, from two listings of
    `ip -s xfrm state`."""
    sas = inbound(before), inbound(after)
    spis = [", ".join(sa.spi for sa in listed) or "none" for listed in sas]
    if spis[0] != spis[1] or len(sas[0]) != 1:
        found = "{} before the run and {} after it".format(*spis)
        return [Check("probe-sa", f"{where}: inbound SA", False, found, "the same one")]
    (first,), (last,) = sas
    moved = last.packets - first.packets, last.bytes - first.bytes
    return _checks("probe-sa", where, "of the inbound SA", carried, *moved)


def check_by_sas(where: str, carried: Carried, before: str, after: str) -> list[Check]:
    """Compare with the packets that all inbound SAs counted together. More SAs may have been
    negotiated between the two listings (one for each processor, RFC 9611)."""
    first, last = ({sa.spi: sa for sa in inbound(text)} for text in (before, after))
    if gone := sorted(set(first) - set(last)):
        found = f"{', '.join(gone)} gone"
        return [Check("probe-sa", f"{where}: inbound SAs", False, found, "all still there")]
    moved = (
        sum(getattr(sa, what) for sa in last.values())
        - sum(getattr(sa, what) for sa in first.values())
        for what in ("packets", "bytes")
    )
    return _checks("probe-sa", where, "of the inbound SAs", carried, *moved)


def check_by_link(
    where: str, carried: Carried, interface: str, before: str, after: str
) -> list[Check]:
    """Compare with the packets that an interface received, from two listings of
    `ip -s -j link`."""
    first, last = (
        next(link["stats64"]["rx"] for link in json.loads(text) if link["ifname"] == interface)
        for text in (before, after)
    )
    moved = (last[what] - first[what] for what in ("packets", "bytes"))
    return _checks("probe-interface", where, f"received on {interface}", carried, *moved)


def _checks(
    kind: str, where: str, counter: str, carried: Carried, packets: int, size: int
) -> list[Check]:
    """`packets` and `size` [bytes] are what the counter moved by."""
    most = int(carried.most_packets * MISCOUNT) + carried.control_packets
    checks = [
        Check(
            kind,
            f"{where}: packets {counter}",
            carried.least_packets <= packets <= most,
            str(packets),
            f"{carried.least_packets} to {most}, from what the probe received",
        )
    ]
    if carried.least_bytes:
        checks.append(
            Check(
                kind,
                f"{where}: bytes {counter}",
                size >= carried.least_bytes,
                str(size),
                f"at least {carried.least_bytes}, what the probe received",
            )
        )
    return checks

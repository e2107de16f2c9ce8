"""Whether a probe and a counter agree on the packets that one host received. The counter belongs to
the SA that must have carried them, or without IPsec to the interface by which they must have come
in. A probe gives payload, counters give packets, and TCP is free to cut bytes into packets. The
counter must therefore lie between two bounds: the fewest packets for the payload that arrived, and
the most that can have been sent to make it arrive."""

import json
from typing import NamedTuple

from remeasure.bench.base.checks import Check
from remeasure.bench.ipsec.sas import read_xfrm_state

SEGMENT = 1460
"""the most payload in a TCP segment, at an MTU of 1500 without options [bytes]"""
SHORT_SEGMENT = 1300
"""payload in a full TCP segment where tunnel and options take the most of the MTU [bytes]"""
SUPER_SEGMENT = 65536
"""the most payload that a kernel counts as one packet if it splits segments later [bytes]"""
FRAGMENT = 1376
"""IP payload in a packet that a gateway sends through ESP, at least, at an MTU of 1500 [bytes]"""
FRAGMENT_OF_IPV6 = 1336
"""least IP payload over IPv6, with its longer header and 8 bytes for a fragment header [bytes]"""
SHORT_OR_RESENT = 1.5
"""packets sent for each full one that arrived, at most: one in three may be short, sent again, or
lost behind the counter"""
MISCOUNT = 1.02
"""packets counted for each one sent, at most: the two counters are not read at the same time"""
CONTROL_PACKETS = 400
"""packets of a probe's own control connection, at most, unless the probe gives a number"""
FEW = 5
"""packets that are late, or come twice, at most"""


def fewest_segments(size: float, largest: int = SEGMENT) -> int:
    """The fewest TCP packets that can hold `size` bytes, of at most `largest` bytes each."""
    return int(size / largest)


def most_segments(size: float, smallest: int = SHORT_SEGMENT) -> int:
    """The most TCP packets that can have been sent for `size` bytes to arrive, if a full one
    carries `smallest` bytes."""
    return int(size * SHORT_OR_RESENT / smallest)


class Carried(NamedTuple):
    """Traffic to one host by a probe, in IP packets before IPsec."""

    receiver: str
    """the host"""
    least_packets: int
    """the fewest packets for the payload that arrived"""
    most_packets: int
    """the most packets that can have been sent, retransmissions included"""
    least_bytes: int = 0
    """payload that arrived [bytes], if packets are no lower bound because kernels count
    super-segments; else 0"""
    control_packets: int = CONTROL_PACKETS
    """packets of the probe's own control connection beyond `most_packets`, at most"""


def check_by_sas(
    where: str, carried: Carried, before: str, after: str, more: bool = False
) -> list[Check]:
    """Compare with the packets of the inbound SA, from two listings of `ip -s xfrm state`. `more`:
    there may be several, and others may have been negotiated between the two listings (one per
    processor, RFC 9611)."""
    first, last = (
        {sa.spi: sa for sa in read_xfrm_state(text) if sa.direction == "in"}
        for text in (before, after)
    )
    if set(first) - set(last) or not (more or len(first) == len(last) == 1):
        spis = [", ".join(sas) or "none" for sas in (first, last)]
        found, name = "{} before the run and {} after it".format(*spis), f"{where}: inbound SAs"
        return [
            Check("probe-sa", name, False, found, "all still there" if more else "the same one")
        ]
    packets = sum(sa.packets for sa in last.values()) - sum(sa.packets for sa in first.values())
    size = sum(sa.bytes for sa in last.values()) - sum(sa.bytes for sa in first.values())
    return _checks("probe-sa", where, "of the inbound SAs", carried, packets, size)


def check_by_link(
    where: str, carried: Carried, interface: str, before: str, after: str
) -> list[Check]:
    """Compare with the packets that an interface received, from two listings of `ip -s -j link`."""
    first, last = (
        next(link["stats64"]["rx"] for link in json.loads(text) if link["ifname"] == interface)
        for text in (before, after)
    )
    moved = (last[what] - first[what] for what in ("packets", "bytes"))
    return _checks("probe-interface", where, f"received on {interface}", carried, *moved)


def _checks(
    kind: str, where: str, counter: str, carried: Carried, packets: int, size: int
) -> list[Check]:
    """`packets` and `size` [bytes] are the counter's increase."""
    most = int(carried.most_packets * MISCOUNT) + carried.control_packets
    least = carried.least_packets
    fits, told = least <= packets <= most, f"{least} to {most}, from what the probe received"
    checks = [Check(kind, f"{where}: packets {counter}", fits, str(packets), told)]
    if least_bytes := carried.least_bytes:
        told = f"at least {least_bytes}, what the probe received"
        name = f"{where}: bytes {counter}"
        checks.append(Check(kind, name, size >= least_bytes, str(size), told))
    return checks

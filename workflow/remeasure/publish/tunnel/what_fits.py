"""What My tunnel says of packet sizes."""

import math
from typing import NamedTuple

from remeasure.publish.tunnel.answer import Parts, Values


class Sizes(NamedTuple):
    """What fits into a packet of the path, with a suite and the reader's mode and NAT traversal."""

    payload: int
    """largest UDP payload [bytes]"""
    packet: int
    """largest IPv4 packet before IPsec: the MTU of the inner path [bytes]"""
    segment: int
    """largest segment of TCP, as a maximum segment size counts it [bytes]"""
    measured: bool
    """whether the three numbers were measured"""
    wire: int
    """the reader's packet with its headers and IPsec [bytes]"""
    seen: bool
    """whether packets of this size were measured"""


def sizes(parts: Parts, values: Values, suite: str) -> Sizes:
    """Measured where the path has the MTU of our links, else as the RFCs say."""
    part = parts.sizes
    cell = part["modes"][values.mode][values.natt][suite]
    fixed, block, added = (cell[name] for name in ("fixed", "block", "added"))
    found = cell["measured"] if values.mtu == part["mtu"] else None
    packet = math.floor((values.mtu - fixed) / block) * block - added
    payload = found["largest"] if found else packet - part["udp"]
    packet = payload + part["udp"]
    wire = fixed + math.ceil((values.size + part["udp"] + added) / block) * block
    least = cell["measured"] and cell["measured"]["least"]
    seen = least is not None and least <= values.size <= cell["measured"]["largest"]
    return Sizes(payload, packet, packet - part["tcp"], bool(found), wire, seen)

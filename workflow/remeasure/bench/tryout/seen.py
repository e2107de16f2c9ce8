"""IKE messages and leaked packets, in captures of the routers next to the gateways."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from remeasure.bench.probes.readers.ike_messages import (
    CREATE_CHILD_SA,
    IKE_AUTH,
    IKE_INTERMEDIATE,
    IKE_SA_INIT,
)

FLOW_PORT = 9400
UNPROTECTED = f"udp port {FLOW_PORT}"
"""pcap-filter(7): packets of a flow that no SA protects"""
IKE = "udp port 500 or udp port 4500"
"""pcap-filter(7): IKE messages, among other packets on these ports"""
ESP = "esp or ah or udp port 4500"
"""pcap-filter(7): packets of SAs"""
_NAMES = {
    IKE_SA_INIT: "IKE_SA_INIT",
    IKE_AUTH: "IKE_AUTH",
    CREATE_CHILD_SA: "CREATE_CHILD_SA",
    IKE_INTERMEDIATE: "IKE_INTERMEDIATE",
    37: "INFORMATIONAL",
    44: "IKE_FOLLOWUP_KE",
}
_RESPONSE, _ENCRYPTED_FRAGMENT, _HEADER_BYTES = 0x20, 53, 28
_SETS_UP = (IKE_SA_INIT, IKE_AUTH, IKE_INTERMEDIATE)


@dataclass(frozen=True)
class IkeDatagram:
    """A datagram of IKE: a message, or one fragment of it (RFC 7383)."""

    at: float
    exchange: int
    response: bool
    number: int
    length: int
    """its IKE part [bytes]"""
    fragments: int


def messages(capture: bytes) -> list[IkeDatagram]:
    """IKE messages of a capture, in order."""
    import dpkt

    found = []
    for at, packet in _packets(capture):
        udp = packet.data
        if not isinstance(udp, dpkt.udp.UDP):
            continue
        payload, length = bytes(udp.data), udp.ulen - 8
        if 4500 in (udp.sport, udp.dport):  # RFC 3948: four zero bytes, or it is ESP
            if payload[:4] != bytes(4):
                continue
            payload, length = payload[4:], length - 4
        if len(payload) < _HEADER_BYTES:
            continue
        following, _, exchange, flags, number = struct.unpack_from("!BBBBI", payload, 16)
        pieces = 1
        if following == _ENCRYPTED_FRAGMENT and len(payload) >= _HEADER_BYTES + 8:
            pieces = struct.unpack_from("!H", payload, _HEADER_BYTES + 6)[0]
        response = bool(flags & _RESPONSE)
        found.append(IkeDatagram(at, exchange, response, number, length, pieces))
    return found


def negotiation(found: list[IkeDatagram]) -> dict[str, Any]:
    """Exchanges, datagrams, bytes and fragments of a set-up."""
    own = [one for one in found if one.exchange in _SETS_UP]
    pieces = {(one.exchange, one.response, one.number): one.fragments for one in own}
    return {
        "exchanges": sum(response for _, response, _ in pieces),
        "datagrams": len(own),
        "bytes": sum(one.length for one in own),
        "fragments": {
            f"{_NAMES[exchange]} {'response' if response else 'request'}": count
            for (exchange, response, _), count in pieces.items()
            if count > 1
        },
    }


def datagrams(capture: bytes) -> Iterator[tuple[float, bytes, int]]:
    """Time [s since the epoch], captured payload and length of the payload [bytes] of datagrams of
    UDP."""
    import dpkt

    for at, packet in _packets(capture):
        if isinstance(packet.data, dpkt.udp.UDP):
            yield at, bytes(packet.data.data), packet.data.ulen - 8


def leaked_at(capture: bytes) -> list[float]:
    """Times at which packets of the flow left a gateway unprotected [s since the epoch]."""
    return [at for at, _ in _packets(capture)]


def sequence_numbers(capture: bytes) -> list[int]:
    """Sequence numbers of ESP and AH packets, in the order of their arrival."""
    import dpkt

    numbers = []
    for _, packet in _packets(capture):
        data = packet.data
        raw = bytes(data.data if isinstance(data, dpkt.udp.UDP) else data)
        at = 8 if isinstance(data, dpkt.ah.AH) else 4
        if len(raw) >= at + 4 and raw[:4] != bytes(4):
            numbers.append(struct.unpack_from("!I", raw, at)[0])
    return numbers


def dropped_by(window: int, numbers: list[int]) -> int:
    """Packets that an anti-replay window of this size refuses (RFC 4303, section 3.4.3)."""
    greatest, dropped = 0, 0
    for number in numbers:
        if number > greatest:
            greatest = number
        elif number + window <= greatest:
            dropped += 1
    return dropped


def _packets(capture: bytes) -> Iterator[tuple[float, Any]]:
    """Packets of IP in a capture, with their times."""
    import dpkt

    for at, frame in dpkt.pcap.Reader(BytesIO(capture)):
        packet = dpkt.ethernet.Ethernet(frame).data
        if isinstance(packet, dpkt.ip.IP | dpkt.ip6.IP6):
            yield float(at), packet

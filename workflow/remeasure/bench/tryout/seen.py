"""IKE messages and leaked packets, in captures of the router between the gateways."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.readers.capture import CapturedDatagram
from remeasure.bench.probes.readers.ike_messages import (
    IKE_AUTH,
    IKE_INTERMEDIATE,
    IKE_SA_INIT,
    IkeMessage,
    ike_message,
)

FLOW_PORT = 9400
UNPROTECTED = f"udp port {FLOW_PORT}"
"""pcap-filter(7): packets of a flow that no SA protects"""
ESP = "esp or ah or udp port 4500"
"""pcap-filter(7): packets of SAs"""
_NAMES = {IKE_SA_INIT: "IKE_SA_INIT", IKE_AUTH: "IKE_AUTH", IKE_INTERMEDIATE: "IKE_INTERMEDIATE"}


def messages(capture: bytes) -> list[IkeMessage]:
    """IKEv2 messages of a capture, in order."""
    found = []
    for datagram in datagrams(capture):
        with suppress(LogError):  # of IKEv1
            found.append(ike_message("capture", datagram))
    return [one for one in found if one]


def negotiation(found: list[IkeMessage]) -> dict[str, Any]:
    """Exchanges, datagrams, bytes and fragments of a set-up."""
    own = [one for one in found if one.exchange in _NAMES]
    pieces = {(one.exchange, one.response, one.message_id): one.fragments for one in own}
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


def datagrams(capture: bytes) -> Iterator[CapturedDatagram]:
    """Datagrams of UDP in a capture."""
    import dpkt

    for number, (at, packet) in enumerate(_packets(capture), 1):
        udp = packet.data
        if isinstance(udp, dpkt.udp.UDP):
            whole = udp.ulen - 8
            yield CapturedDatagram(number, at, udp.sport, udp.dport, bytes(udp.data), whole)


def leaked_at(capture: bytes) -> list[float]:
    """Times at which packets of the flow left a gateway unprotected [s since the epoch]."""
    import dpkt

    return [float(at) for at, _ in dpkt.pcap.Reader(BytesIO(capture))]


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

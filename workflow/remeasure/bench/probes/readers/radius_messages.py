"""The RADIUS exchanges in a capture, and the EAP packets in them. Sources: RFC 2865 (RADIUS), 3579
(EAP in RADIUS), 3748 (EAP), 5216 (EAP-TLS)."""

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from remeasure.bench.probes.readers.capture import CapturedDatagram, datagrams

_HEADER = struct.Struct("!BBH16s")
_ACCESS_REQUEST, _ACCESS_ACCEPT, _EAP_MESSAGE = 1, 2, 79
_IDENTITY, _TLS, _TTLS = 1, 13, 21
EAP_TYPES = {"eap-md5": 4, "eap-tls": _TLS, "eap-ttls": _TTLS}
"""authentication method of a tunnel -> number of that method in IANA's registry of EAP"""
_LENGTH_INCLUDED, _MORE_FRAGMENTS = 0x80, 0x40


class EapPacket(NamedTuple):
    """The header of one EAP packet."""

    code: int
    """EAP code: 1 request, 2 response, 3 success, 4 failure"""
    type: int
    """EAP method; 0 in success and failure, which have none"""
    tls_bytes: int = 0
    """TLS data in this packet [bytes]; 0 if the method carries none"""
    message_bytes: int = 0
    """TLS data in the whole message of which this packet is a fragment [bytes]; 0 if it is not in
    the packet (FreeRADIUS has it in every fragment, strongSwan in the first)"""
    more: bool = False
    """True if another fragment of the message follows"""


class RadiusExchange(NamedTuple):
    """An Access-Request and its reply."""

    number: int
    """place of the reply in the capture, from 1"""
    begins: bool
    """True if the request contains the identity, with which an authentication begins"""
    accepted: bool
    """True if the reply is an Access-Accept"""
    packets: tuple[EapPacket, ...]
    """the EAP packets in request and reply"""
    bytes: int
    """UDP payload of request and reply [bytes]"""
    seconds: float
    """time from the request (from its last repetition) to the reply [s]"""


def radius_exchanges(file: str, content: bytes) -> Iterator[RadiusExchange]:
    """Yield the answered exchanges in a compressed capture. Raises LogError."""
    pending: dict[int, CapturedDatagram] = {}
    for datagram in datagrams(file, content):
        code, identifier, *_ = _HEADER.unpack_from(datagram.payload)
        if code == _ACCESS_REQUEST:
            pending[identifier] = datagram
            continue
        if identifier in pending:
            request = pending.pop(identifier)
            asked, answered = _eap(request.payload), _eap(datagram.payload)
            yield RadiusExchange(
                datagram.number,
                bool(asked and asked.type == _IDENTITY),
                code == _ACCESS_ACCEPT,
                tuple(packet for packet in (asked, answered) if packet),
                request.length + datagram.length,
                datagram.at - request.at,
            )


def _eap(message: bytes) -> EapPacket | None:
    """The header of the EAP packet in a RADIUS message, the end of which may not be captured."""
    at, data = _HEADER.size, b""
    while at + 2 <= len(message) and not data:
        end = at + max(message[at + 1], 2)
        if message[at] == _EAP_MESSAGE:
            data = message[at + 2 : end]
        at = end
    if len(data) < 4:
        return None
    code, length = data[0], int.from_bytes(data[2:4], "big")
    kind = data[4] if code in (1, 2) and len(data) > 4 else 0
    if kind not in (_TLS, _TTLS) or len(data) < 6:
        return EapPacket(code, kind)
    more = bool(data[5] & _MORE_FRAGMENTS)
    if data[5] & _LENGTH_INCLUDED:  # RFC 5216, section 3.1
        return EapPacket(code, kind, length - 10, int.from_bytes(data[6:10], "big"), more)
    return EapPacket(code, kind, length - 6, more=more)


def packets_needed(packets: Iterable[EapPacket]) -> int:
    """Number of packets that the TLS messages of one side need, from the length of each message and
    the content of its first packet."""
    needed, first, continues = 0, None, False
    for packet in packets:
        if not continues:
            first, needed = packet, needed + 1
        elif first is not None:
            # A packet without the length has space for four more bytes.
            room = first.tls_bytes + (0 if packet.message_bytes else 4)
            needed += -(-(first.message_bytes - first.tls_bytes) // room)
            first = None
        continues = packet.more
    return needed

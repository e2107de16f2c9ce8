"""RADIUS exchanges of a capture, and the EAP packets in them (RFC 2865, 3579, 3748, 5216)."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from remeasure.probes.base import LogError
from remeasure.probes.readers.capture import Datagram, datagrams

_HEADER = struct.Struct("!BBH16s")
_ACCESS_REQUEST, _ACCESS_ACCEPT, _EAP_MESSAGE = 1, 2, 79
_IDENTITY, _TLS, _TTLS = 1, 13, 21
EAP_TYPES = {"eap-md5": 4, "eap-tls": _TLS, "eap-ttls": _TTLS}
"""numbers of IANA's registry"""
_LENGTH_INCLUDED, _MORE_FRAGMENTS = 0x80, 0x40


@dataclass(frozen=True)
class EapPacket:
    """The head of one."""

    code: int
    """1 request, 2 response, 3 success, 4 failure"""
    type: int
    """0 of success and failure, which have none"""
    tls_bytes: int = 0
    """of TLS in it, of methods that carry TLS"""
    message_bytes: int = 0
    """of TLS in the whole message that it is of, where it says so: FreeRADIUS in every fragment,
    strongSwan in the first"""
    more: bool = False
    """whether another fragment of the message follows"""


@dataclass(frozen=True)
class RadiusExchange:
    """An Access-Request and its reply."""

    number: int
    """of the reply in the capture"""
    begins: bool
    """whether the request holds the identity, the first thing said of an authentication"""
    accepted: bool
    packets: tuple[EapPacket, ...]
    """of EAP, in request and reply"""
    bytes: int
    """UDP payload of both"""
    seconds: float
    """from the last request, if it was repeated, to the reply"""


def radius_exchanges(file: str, content: bytes) -> Iterator[RadiusExchange]:
    """Those of a compressed capture that were answered. Raises LogError."""
    pending: dict[int, Datagram] = {}
    for datagram in datagrams(file, content):
        if len(datagram.payload) < _HEADER.size:
            raise LogError(
                file, datagram.number, f"{len(datagram.payload)} bytes", "a RADIUS header of 20"
            )
        code, identifier, _, _ = _HEADER.unpack_from(datagram.payload)
        if code == _ACCESS_REQUEST:
            pending[identifier] = datagram
        elif identifier in pending:
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
    """The head of the EAP packet in a RADIUS message, of which the end may not be captured."""
    at = _HEADER.size
    while at + 2 <= len(message):
        kind, length = message[at], max(message[at + 1], 2)
        if kind == _EAP_MESSAGE:
            return _eap_head(message[at + 2 : at + length])
        at += length
    return None


def _eap_head(data: bytes) -> EapPacket | None:
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
    """How many packets the TLS messages of one side need, from the lengths they have and what the
    first packet of each could take."""
    needed, first, continues = 0, None, False
    for packet in packets:
        if not continues:
            first, needed = packet, needed + 1
        elif first is not None:
            # A packet without the length has four bytes more to give.
            room = first.tls_bytes + (0 if packet.message_bytes else 4)
            needed += -(-(first.message_bytes - first.tls_bytes) // room)
            first = None
        continues = packet.more
    return needed

"""IKEv2 as seen from outside: the messages in a capture, and the pieces of IKE_AUTH. IKE cuts a
long message into fragments, each a datagram of its own (RFC 7383), or IP cuts its one datagram. The
receiver needs all pieces, so the last one counts; its delay over the mean piece is the cost of
cutting on a path that delays each packet independently."""

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.metrics import Value
from remeasure.bench.probes.readers.capture import CapturedDatagram, datagrams

IKE_SA_INIT, IKE_AUTH, CREATE_CHILD_SA = 34, 35, 36  # RFC 7296, section 3.1
IKE_INTERMEDIATE = 43  # RFC 9242
_HEADER = struct.Struct("!8s8sBBBBII")
_RESPONSE = 0x20
_ENCRYPTED_FRAGMENT = 53  # RFC 7383, section 2.5
_FRAGMENT = struct.Struct("!BBHHH")
_MTU_PAYLOAD, _UDP_AND_MARKER = 1480, 12
"""payload of an IP packet of 1500 bytes, and the part of it that is not IKE on port 4500 [bytes]"""

_AGAIN_S = 3
"""strongSwan waits 4 s before it sends a message again"""


class IkeMessage(NamedTuple):
    """One datagram: a message, or a fragment of one."""

    number: int
    """place of the packet in the capture, from 1"""
    at: float
    """time of capture [s since the epoch]"""
    initiator_spi: bytes
    exchange: int
    response: bool
    message_id: int
    length: int
    """length of the UDP payload [bytes]; on port 4500 without the marker of four zero bytes (RFC
    3948)"""
    fragment: int = 1
    """number of this fragment, from 1"""
    fragments: int = 1
    """number of fragments of the message (RFC 7383); 1: the datagram is the whole message"""

    @property
    def packets(self) -> int:
        """Number of IP packets of at most 1500 bytes that the datagram fills."""
        return -(-(self.length + _UDP_AND_MARKER) // _MTU_PAYLOAD)


def ike_messages(file: str, content: bytes) -> Iterator[IkeMessage]:
    """Yield the messages in a compressed capture, in order. Raises LogError."""
    for datagram in datagrams(file, content):
        if message := ike_message(file, datagram):
            yield message


def ike_message(file: str, datagram: CapturedDatagram) -> IkeMessage | None:
    """The message in a datagram; None of a keepalive, or ESP in UDP. Raises LogError."""
    payload, length = datagram.payload, datagram.length
    if 4500 in (datagram.source_port, datagram.target_port):
        if payload[:4] != bytes(4):  # RFC 3948
            return None
        payload, length = payload[4:], length - 4
    spi, _, next_payload, version, exchange, flags, message_id, _ = _HEADER.unpack_from(payload)
    if version >> 4 != 2:
        raise LogError(file, datagram.number, f"version {version:#x}", "IKE version 2")
    place = 1, 1
    if next_payload == _ENCRYPTED_FRAGMENT:
        cut = len(payload) < _HEADER.size + _FRAGMENT.size
        place = (0, 0) if cut else _FRAGMENT.unpack_from(payload, _HEADER.size)[-2:]
    if not 1 <= place[0] <= place[1]:
        found = "fragment {} of {}".format(*place)
        raise LogError(file, datagram.number, found, "a fragment of as many, from 1")
    head = spi, exchange, bool(flags & _RESPONSE), message_id
    return IkeMessage(datagram.number, datagram.at, *head, length, *place)


def read_auth(messages: Iterable[IkeMessage]) -> Iterator[Value]:
    """Yield the values of the first request and of the first response of IKE_AUTH among the
    messages of one negotiation; nothing of a message that is not whole."""
    found = [message for message in messages if message.exchange == IKE_AUTH]
    for name, response in (("request", False), ("response", True)):
        of_kind = [message for message in found if message.response == response]
        pieces = [m for m in of_kind if m.message_id == of_kind[0].message_id]
        different = {piece.fragment: piece for piece in pieces}
        if not pieces or len(different) != pieces[0].fragments:
            continue
        number = pieces[-1].number
        yield Value(f"auth_{name}_fragments", len(different), number)
        packets = sum(piece.packets for piece in different.values())
        yield Value(f"auth_{name}_packets", packets, number)
        behind = [piece.at - pieces[0].at for piece in pieces]
        # A capture has only the first packet of a datagram that IP cut.
        if len(pieces) == len(different) == packets and behind[-1] < _AGAIN_S:
            wait = behind[-1] - sum(behind) / len(behind)
            yield Value(f"auth_{name}_wait", wait * 1e3, number)

"""IKEv2 as seen from outside: the messages in a capture."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.readers.capture import datagrams

IKE_SA_INIT, IKE_AUTH, CREATE_CHILD_SA = 34, 35, 36  # RFC 7296, section 3.1
IKE_INTERMEDIATE = 43  # RFC 9242
_HEADER = struct.Struct("!8s8sBBBBII")
_RESPONSE = 0x20
_ENCRYPTED_FRAGMENT = 53  # RFC 7383, section 2.5
_FRAGMENT = struct.Struct("!BBHHH")
_MTU_PAYLOAD, _UDP_AND_MARKER = 1480, 12
"""payload of an IP packet of 1500 bytes, and the part of it that is not IKE on port 4500 [bytes]"""


@dataclass(frozen=True)
class IkeMessage:
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
        payload, length = datagram.payload, datagram.length
        if 4500 in (datagram.source_port, datagram.target_port):
            if payload[:4] != bytes(4):  # RFC 3948: keepalive, or ESP in UDP
                continue
            payload, length = payload[4:], length - 4
        if len(payload) < _HEADER.size:
            raise LogError(file, datagram.number, f"{len(payload)} bytes", "an IKE header of 28")
        spi, _, next_payload, version, exchange, flags, message_id, says = _HEADER.unpack_from(
            payload
        )
        if version >> 4 != 2:
            raise LogError(file, datagram.number, f"version {version:#x}", "IKE version 2")
        if says != length:
            found = f"a message of {says} bytes"
            raise LogError(file, datagram.number, found, f"{length}, those of its datagram")
        place = _fragment(payload) if next_payload == _ENCRYPTED_FRAGMENT else (1, 1)
        if not 1 <= place[0] <= place[1]:
            found = "fragment {} of {}".format(*place)
            raise LogError(file, datagram.number, found, "a fragment of as many, from 1")
        yield IkeMessage(
            datagram.number,
            datagram.at,
            spi,
            exchange,
            bool(flags & _RESPONSE),
            message_id,
            length,
            *place,
        )


def _fragment(payload: bytes) -> tuple[int, int]:
    """Number and total of an encrypted fragment; (0, 0) if the capture cut them off."""
    if len(payload) < _HEADER.size + _FRAGMENT.size:
        return 0, 0
    *_, number, total = _FRAGMENT.unpack_from(payload, _HEADER.size)
    return number, total

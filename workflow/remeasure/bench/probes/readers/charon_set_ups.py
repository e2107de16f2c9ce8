"""Set-ups in the log of an initiator's charon: how long each took, and what it exchanged."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.metrics import Value
from remeasure.bench.probes.readers import charon_log


@dataclass
class _SetUp:
    """One set-up, from `initiating IKE_SA` on."""

    index: int
    """number of the set-up, from 1"""
    begin: datetime
    retransmits: int = 0
    """requests that were sent again [requests]"""
    sent: int = 0
    """[datagrams]"""
    sent_bytes: int = 0
    received: int = 0
    """[datagrams]"""
    received_bytes: int = 0
    ended: bool = False
    """True once the CHILD_SA is there, or charon gave up"""

    def count(self, message: str) -> None:
        """Take in a line that is no end."""
        self.retransmits += bool(charon_log.RETRANSMIT.fullmatch(message))
        if match := charon_log.SENDING.fullmatch(message):
            self.sent += 1
            self.sent_bytes += int(match[1])
        elif match := charon_log.RECEIVED.fullmatch(message):
            self.received += 1
            self.received_bytes += int(match[1])

    def datagrams(self) -> dict[str, int]:
        """Metric -> value."""
        return {
            "sent_datagrams": self.sent,
            "sent_bytes": self.sent_bytes,
            "received_datagrams": self.received,
            "received_bytes": self.received_bytes,
        }


def read(file: str, content: bytes, datagrams: bool) -> Iterator[Value]:
    """Yield the values of each set-up; `datagrams`: also what it sent and received. Deleting the
    IKE_SA is not part of a set-up. Raises LogError."""
    now: _SetUp | None = None
    for number, at, message in charon_log.log_lines(file, content):
        if datagrams and not charon_log.is_datagram_or_other(message):
            raise LogError(file, number, message, "a datagram with its size")
        if charon_log.INITIATING.fullmatch(message):
            now = _SetUp(now.index + 1 if now else 1, at)
        elif now and not now.ended:
            now.count(message)
            yield from _events(now, number, at, message, datagrams)


def _events(
    now: _SetUp, number: int, at: datetime, message: str, datagrams: bool
) -> Iterator[Value]:
    """Yield what a line says of the set-up to which it belongs."""
    elapsed = (at - now.begin).total_seconds() * 1e3
    if charon_log.IKE_ESTABLISHED.fullmatch(message):
        yield Value("ike_sa", elapsed, number, now.index)
        return
    if charon_log.CHILD_ESTABLISHED.fullmatch(message):
        yield Value("delay", elapsed, number, now.index)
    elif charon_log.GIVING_UP.fullmatch(message):
        yield Value("failed", 1, number, now.index)
    else:
        return
    now.ended = True
    yield Value("ike_retransmits", now.retransmits, number, now.index)
    for metric, value in now.datagrams().items() if datagrams else ():
        yield Value(metric, value, number, now.index)

"""The log of a charon: its lines, the set-ups of an initiator, and negotiations on demand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from remeasure.bench.probes.base import LogError, text_lines
from remeasure.bench.probes.metrics import Metric, Value

_LINE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}) [0-9]{2}"
    r"\[(DMN|MGR|IKE|CHD|JOB|CFG|KNL|NET|ASN|ENC|TNC|IMC|IMV|PTS|TLS|APP|ESP|LIB)\] (.*)"
)
INITIATING = re.compile(r"initiating IKE_SA \S+\[[0-9]+\] to [0-9a-f.:]+")
IKE_ESTABLISHED = re.compile(
    r"IKE_SA \S+\[[0-9]+\] established between [0-9a-f.:]+\[.*\]\.\.\.[0-9a-f.:]+\[.*\]"
)
REKEYING = re.compile(r"establishing CHILD_SA \S+\{[0-9]+\} reqid [0-9]+")
_INSTALLED = r"CHILD_SA \S+\{[0-9]+\} established with SPIs [0-9a-f]{8}_i [0-9a-f]{8}_o and TS .*"
CHILD_ESTABLISHED = re.compile(_INSTALLED)
REKEYED = re.compile(f"outbound {_INSTALLED}")
RETRANSMIT = re.compile(r"retransmit [0-9]+ of request with message ID [0-9]+")
GIVING_UP = re.compile(r"giving up after [0-9]+ retransmits")
SENDING = re.compile(r"sending packet: from \S+ to \S+ \(([0-9]+) bytes\)")
RECEIVED = re.compile(r"received packet: from \S+ to \S+ \(([0-9]+) bytes\)")
_ACQUIRE = re.compile(r"creating acquire job for policy \S+\[icmp/8\] === ")
ON_DEMAND = {
    "negotiations": Metric(
        "negotiations", "IKE_SAs that an echo made the initiator establish", "count"
    ),
    "negotiated": Metric(
        "ms",
        "initiator's log: `creating acquire job` for an echo to `CHILD_SA established` (index: "
        "number of the negotiation, from 1)",
        "delay",
    ),
}


def log_lines(file: str, content: bytes) -> Iterator[tuple[int, datetime, str]]:
    """Yield number, time and message of every line. Raises LogError."""
    for number, line in enumerate(text_lines(file, content), 1):
        match = _LINE.fullmatch(line)
        if not match:
            raise LogError(file, number, line, "a line of charon's log")
        yield number, datetime.fromisoformat(match[1]), match[3]


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
        self.retransmits += bool(RETRANSMIT.fullmatch(message))
        if match := SENDING.fullmatch(message):
            self.sent += 1
            self.sent_bytes += int(match[1])
        elif match := RECEIVED.fullmatch(message):
            self.received += 1
            self.received_bytes += int(match[1])


def set_ups(file: str, content: bytes, datagrams: bool) -> Iterator[Value]:
    """Yield the values of each set-up; `datagrams`: also what it sent and received. Deleting the
    IKE_SA is not part of a set-up. Raises LogError."""
    now: _SetUp | None = None
    for number, at, message in log_lines(file, content):
        if INITIATING.fullmatch(message):
            now = _SetUp(now.index + 1 if now else 1, at)
        elif now and not now.ended:
            now.count(message)
            yield from _events(now, number, at, message, datagrams)


def _events(
    now: _SetUp, number: int, at: datetime, message: str, datagrams: bool
) -> Iterator[Value]:
    """Yield what a line says of the set-up to which it belongs."""
    elapsed = (at - now.begin).total_seconds() * 1e3
    if IKE_ESTABLISHED.fullmatch(message):
        yield Value("ike_sa", elapsed, number, now.index)
        return
    if CHILD_ESTABLISHED.fullmatch(message):
        yield Value("delay", elapsed, number, now.index)
    elif GIVING_UP.fullmatch(message):
        yield Value("failed", 1, number, now.index)
    else:
        return
    now.ended = True
    yield Value("ike_retransmits", now.retransmits, number, now.index)
    if datagrams:
        yield Value("sent_datagrams", now.sent, number, now.index)
        yield Value("sent_bytes", now.sent_bytes, number, now.index)
        yield Value("received_datagrams", now.received, number, now.index)
        yield Value("received_bytes", now.received_bytes, number, now.index)


def negotiations(file: str, content: bytes) -> Iterator[Value]:
    """Yield how long each negotiation took that an echo asked for, and how many there were. Raises
    LogError."""
    asked: datetime | None = None
    established, last, pending = 0, 1, False
    for number, at, message in log_lines(file, content):
        if _ACQUIRE.match(message):
            asked, pending = at, True
        if pending and IKE_ESTABLISHED.fullmatch(message):
            pending, established, last = False, established + 1, number
        if asked and CHILD_ESTABLISHED.fullmatch(message):
            yield Value("negotiated", (at - asked).total_seconds() * 1e3, number, established)
            asked = None
    yield Value("negotiations", established, last)

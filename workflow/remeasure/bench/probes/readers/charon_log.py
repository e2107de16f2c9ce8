"""The log of an initiator's charon: its lines, and that its events fit together.

charon numbers its SAs and names each when it begins to negotiate and when it is done. So what was
established must have been begun, with the same peer; repetitions of a request are counted from 1,
and what is given up was repeated as often as charon says; both halves of a CHILD_SA have the same
SPIs; and no line is older than the line before it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from remeasure.bench.probes.base import LogError, text_lines

_LINE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}) [0-9]{2}"
    r"\[(DMN|MGR|IKE|CHD|JOB|CFG|KNL|NET|ASN|ENC|TNC|IMC|IMV|PTS|TLS|APP|ESP|LIB)\] (.*)"
)
INITIATING = re.compile(r"initiating IKE_SA (\S+\[[0-9]+\]) to ([0-9a-f.:]+)")
IKE_ESTABLISHED = re.compile(
    r"IKE_SA (\S+\[[0-9]+\]) established between [0-9a-f.:]+\[.*\]\.\.\.([0-9a-f.:]+)\[.*\]"
)
ESTABLISHING = re.compile(r"establishing CHILD_SA (\S+\{[0-9]+\})(?: reqid [0-9]+)?")
REKEYING = re.compile(r"establishing CHILD_SA (\S+\{[0-9]+\}) reqid [0-9]+")
_INSTALLED = (
    r"CHILD_SA (\S+\{[0-9]+\}) established with SPIs ([0-9a-f]{8}_i [0-9a-f]{8}_o) and TS .*"
)
CHILD_ESTABLISHED = re.compile(_INSTALLED)
_INBOUND = re.compile(f"inbound {_INSTALLED}")
REKEYED = re.compile(f"outbound {_INSTALLED}")
RETRANSMIT = re.compile(r"retransmit ([0-9]+) of request with message ID ([0-9]+)")
GIVING_UP = re.compile(r"giving up after ([0-9]+) retransmits")
SENDING = re.compile(r"sending packet: from \S+ to \S+ \(([0-9]+) bytes\)")
RECEIVED = re.compile(r"received packet: from \S+ to \S+ \(([0-9]+) bytes\)")
_REPETITIONS = ("retransmit ", "giving up ")
_BEGINNINGS = ("initiating IKE_SA ", "establishing CHILD_SA ", *_REPETITIONS)
_EVENTS = (*_BEGINNINGS, "IKE_SA ", "CHILD_SA ", "inbound CHILD_SA ", "outbound CHILD_SA ")
"""how messages of events begin; of SAs, where they are established"""


@dataclass
class _Events:
    """What the lines so far say."""

    peers: dict[str, str] = field(default_factory=dict)
    """IKE_SA that is negotiated -> address of the peer"""
    children: set[str] = field(default_factory=set)
    """CHILD_SAs that are negotiated"""
    inbound: dict[str, str] = field(default_factory=dict)
    """CHILD_SA whose inbound half is installed -> its SPIs"""
    repeats: dict[str, int] = field(default_factory=dict)
    """number of a message -> how often it was repeated"""

    def contradicted_by(self, message: str) -> str:
        """What is expected instead of a message; empty if it fits. Takes it in."""
        if " established " not in message and not message.startswith(_BEGINNINGS):
            return ""  # most lines, quickly
        if match := INITIATING.fullmatch(message):
            self.peers[match[1]] = match[2]
            self.repeats.clear()
        elif match := IKE_ESTABLISHED.fullmatch(message):
            peer = self.peers.pop(match[1], "")
            return "" if match[2] == peer else f"an IKE_SA that was initiated to {match[2]}"
        elif match := ESTABLISHING.fullmatch(message):
            self.children.add(match[1])
        elif match := CHILD_ESTABLISHED.fullmatch(message):
            return "" if match[1] in self.children else "a CHILD_SA whose negotiation began"
        elif match := _INBOUND.fullmatch(message):
            self.inbound[match[1]] = match[2]
            return "" if match[1] in self.children else "a CHILD_SA whose negotiation began"
        elif match := REKEYED.fullmatch(message):
            same = self.inbound.get(match[1]) == match[2]
            return "" if same else "the SPIs of its inbound half"
        elif message.startswith(_REPETITIONS):
            return self._repetition(message)
        elif message.startswith(_EVENTS):
            return "an event as charon writes it"
        return ""

    def _repetition(self, message: str) -> str:
        """As `contradicted_by`, of a request that is sent again or given up."""
        if match := RETRANSMIT.fullmatch(message):
            last = self.repeats.get(match[2], 0)
            self.repeats[match[2]] = last + 1
            return "" if int(match[1]) == last + 1 else f"repetition {last + 1} of it"
        if match := GIVING_UP.fullmatch(message):
            known = self.repeats.values()
            return "" if int(match[1]) in known else "as many repetitions as a message had"
        return "an event as charon writes it"


def is_datagram_or_other(message: str) -> bool:
    """False for a message that begins as one of a datagram does, and does not go on so."""
    if not message.startswith(("sending packet", "received packet")):
        return True
    return bool(SENDING.fullmatch(message) or RECEIVED.fullmatch(message))


def log_lines(file: str, content: bytes) -> Iterator[tuple[int, datetime, str]]:
    """Yield number, time and message of every line of an initiator that its peer asks for nothing.
    Raises LogError."""
    events = _Events()
    for number, at, message in lines_of_any_end(file, content):
        if expected := events.contradicted_by(message):
            raise LogError(file, number, message, expected)
        yield number, at, message


def lines_of_any_end(file: str, content: bytes) -> Iterator[tuple[int, datetime, str]]:
    """Yield number, time and message of every line, whichever end began what it tells. Raises
    LogError."""
    last = ""
    for number, line in enumerate(text_lines(file, content), 1):
        match = _LINE.fullmatch(line)
        if not match:
            raise LogError(file, number, line, "a line of charon's log")
        if match[1] < last:
            raise LogError(file, number, line, f"a time not before {last}")
        last = match[1]
        yield number, datetime.fromisoformat(match[1]), match[3]

"""The log of a charon: its lines, the set-ups of an initiator, and negotiations on demand. Times
have microseconds; before strongSwan 5.9.11, milliseconds."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from remeasure.bench.probes.base import matched_lines
from remeasure.bench.probes.metrics import Value

_LINE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}(?:[0-9]{3})?) [0-9]{2}"
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
RENEWED = re.compile(
    rf"outbound {_INSTALLED}|IKE_SA \S+\[[0-9]+\] rekeyed between .*"
    r"|reauthenticating IKE_SA \S+\[[0-9]+\].*"
)
RETRANSMIT = re.compile(r"retransmit [0-9]+ of request with message ID [0-9]+")
GIVING_UP = re.compile(r"giving up after [0-9]+ retransmits")
_PACKET = re.compile(r"(sending|received) packet: from \S+ to \S+ \(([0-9]+) bytes\)")
_ACQUIRE = re.compile(r"creating acquire job for policy \S+\[icmp/8\] === ")


def log_lines(file: str, content: bytes) -> Iterator[tuple[int, datetime, str]]:
    """Yield number, time and message of every line. Raises LogError."""
    for number, match in matched_lines(_LINE, file, content, "a line of charon's log"):
        yield number, datetime.fromisoformat(match[1]), match[3]


def set_ups(file: str, content: bytes, datagrams: bool) -> Iterator[Value]:
    """Yield the values of each set-up, until its CHILD_SA is there or charon gave up; `datagrams`:
    also sent and received datagrams. Deleting the IKE_SA is not part of a set-up. Raises
    LogError."""
    index, counts, begin = 0, Counter[str](), None
    for number, at, message in log_lines(file, content):
        if INITIATING.fullmatch(message):
            index, begin, counts = index + 1, at, Counter()
        if begin is None:
            continue
        counts["ike_retransmits"] += bool(RETRANSMIT.fullmatch(message))
        if match := _PACKET.fullmatch(message):
            way = "sent" if match[1] == "sending" else "received"
            counts[f"{way}_datagrams"] += 1
            counts[f"{way}_bytes"] += int(match[2])
        elapsed = (at - begin).total_seconds() * 1e3
        if IKE_ESTABLISHED.fullmatch(message):
            yield Value("ike_sa", elapsed, number, index)
        failed = bool(GIVING_UP.fullmatch(message))
        if failed or CHILD_ESTABLISHED.fullmatch(message):
            yield Value("failed" if failed else "delay", 1 if failed else elapsed, number, index)
            yield Value("ike_retransmits", counts["ike_retransmits"], number, index)
            for way in ("sent", "received") if datagrams else ():
                for metric in (f"{way}_datagrams", f"{way}_bytes"):
                    yield Value(metric, counts[metric], number, index)
            begin = None


def negotiations(file: str, content: bytes) -> Iterator[Value]:
    """Yield the duration of each negotiation that an echo asked for, and their number. Raises
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

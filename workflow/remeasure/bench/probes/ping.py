"""Round-trip time, its jitter, and loss, by ping(8) of iputils."""

import re
from collections.abc import Iterable
from itertools import pairwise
from statistics import median
from typing import ClassVar, NamedTuple

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.agreement import FEW, Carried
from remeasure.bench.probes.base import Bench, LogError, Probe, match_line, text_lines
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.testbed.tools import Tool

_LATE_S = 0.5
"""how much later than planned a request may leave [s]; in released campaigns at most 0.035 s"""
_OFF, _OFF_S = 0.1, 0.01
"""how much the usual interval may differ from the planned one: as a share of it, and [s]"""
LARGEST_SEQUENCE = 2**16 - 1
"""the largest number that a request can have (RFC 792)"""
_ADDRESS = "[0-9a-f.:]+"
# For IPv6 ping does not print the size with headers.
_HEAD = re.compile(
    rf"PING (\S+) ?\(({_ADDRESS})\)(?: from {_ADDRESS} \S*:)? "
    r"([0-9]+)(?:\([0-9]+\) bytes of data\.| data bytes)"
)
_STAMP = r"\[[0-9]+\.[0-9]+\]"
_REPLY = re.compile(
    rf"{_STAMP} ([0-9]+) bytes from ({_ADDRESS}): icmp_seq=([0-9]+) ttl=([0-9]+) "
    r"time=([0-9]+(?:\.[0-9]+)?) ms( \(DUP!\))?"
)
_UNANSWERED = re.compile(
    rf"{_STAMP} (no answer yet for icmp_seq=[0-9]+|From {_ADDRESS} icmp_seq=[0-9]+ "
    r"(?:[A-Za-z][\w ]+|Packet too big: mtu=[0-9]+))",
    re.ASCII,
)
_RULE = re.compile(r"--- (\S+) ping statistics ---")
_TOTAL = re.compile(
    r"([0-9]+) packets transmitted, ([0-9]+) received, (?:\+[0-9]+ [a-z]+, )*"
    r"[0-9]+(?:\.[0-9]+)?% packet loss, time [0-9]+ms"
)
_NUMBER = r"[0-9]+\.[0-9]{3}"
_STATISTICS = re.compile(
    rf"rtt min/avg/max/mdev = {_NUMBER}/{_NUMBER}/{_NUMBER}/{_NUMBER} ms"
    r"(?:, pipe [0-9]+)?(?:, ipg/ewma [0-9.]+/[0-9.]+ ms)?"
)


class Ping(Probe):
    """Echo requests from one host to another."""

    kind: ClassVar = "ping"
    takes_ipv6: ClassVar = True
    size_fields: ClassVar = frozenset({"size"})
    tools: ClassVar = {"ping": Tool(["ping", "-V"], "iputils-ping")}
    meanings: ClassVar = MEANINGS["ping"]

    source: HostName
    """host that sends the requests"""
    target: HostName
    """host that answers them"""
    count: int = Field(ge=1, le=LARGEST_SEQUENCE)
    """number of requests in one run"""
    interval: float = Field(gt=0, le=60)
    """time between two requests [s]"""
    size: int | None = Field(None, ge=16, le=65507)
    """payload of a request (-s), to which 28 bytes of headers come [bytes]; null: 56"""

    def seconds(self) -> float:
        return self.count * self.interval

    def options(self, bench: Bench) -> list[str]:
        """Further arguments of ping(8)."""
        return []

    def command(self, address: str, options: Iterable[str] = ()) -> list[str]:
        """The command that sends the requests to `address`."""
        size = ["-s", str(self.size)] if self.size is not None else []
        count = ["-c", str(self.count), "-i", f"{self.interval:g}", "-W", "2"]
        return ["ping", "-n", "-D", "-O", *count, *size, *options, address]

    def measure(self, bench: Bench, stem: str) -> None:
        command = self.command(bench.topology.address(self.target), self.options(bench))
        # ping exits with 1 when nothing at all came back: that is a measurement, not a failure.
        text = bench.remotes[self.source].run(
            command, timeout=self.seconds() * 1.5 + 15, check=False
        )
        bench.save(f"{stem}.log", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        replies, sent, line = _read_ping(file, text_lines(file, content))
        for sequence, reply in replies.items():
            yield Value("rtt", reply.ms, reply.line, sequence)
        rtts = {sequence: reply.ms for sequence, reply in replies.items()}
        yield Value("sent", sent, line)
        yield Value("received", len(replies), line)
        yield Value("loss", 100 * (sent - len(replies)) / sent, line)
        if rtts:
            yield Value("rtt_mean", sum(rtts.values()) / len(rtts), line)
        steps = [abs(rtts[i + 1] - rtts[i]) for i in rtts if i + 1 in rtts]
        if steps:
            yield Value("jitter", sum(steps) / len(steps), line)

    def carried(self, observations: list[Value]) -> Carried:
        """The replies, on their way back to the source."""
        found = {o.metric: round(o.value) for o in observations}
        return Carried(self.source, found["received"], found["sent"], control_packets=FEW)

    def require_complete(self, file: str, content: bytes) -> None:
        """All requests left, of the planned size, and answered ones at intervals of `interval`."""
        lines = text_lines(file, content)
        replies, sent, place = _read_ping(file, lines)
        size = int(match_line(_HEAD, file, 1, lines[0], "the first line of ping")[3])
        if size != (wanted := 56 if self.size is None else self.size):
            raise LogError(file, 1, f"{size} bytes", f"{wanted}, as planned")
        if sent != self.count:
            raise LogError(file, place, f"{sent} requests", f"{self.count}, as planned")
        pairs = pairwise(sorted(replies.items()))
        gaps = [(two.sent - one.sent) / (n - m) for (m, one), (n, two) in pairs]
        if gaps and abs((usual := median(gaps)) - self.interval) > _OFF * self.interval + _OFF_S:
            found = f"requests {usual:.3f} s apart"
            raise LogError(file, place, found, f"{self.interval:g} s, as planned")
        for sequence, reply in replies.items():
            gap = reply.sent - replies[sequence - 1].sent if sequence - 1 in replies else 0
            if gap > self.interval + _LATE_S:
                found = f"request {sequence} sent {gap:.3f} s after the one before"
                raise LogError(file, reply.line, found, f"{self.interval:g} s, as planned")


class Reply(NamedTuple):
    """The first answer to a request."""

    ms: float
    """round trip [ms]"""
    line: int
    sent: float
    """time at which the request left [s since the epoch]"""


def _read_ping(file: str, lines: list[str]) -> tuple[dict[int, Reply], int, int]:
    """Number of a request -> its answer, for all that were answered; the requests that were sent;
    and the line of the summary. Raises LogError for a line of another form, and for a summary that
    does not count the answers."""
    replies = dict[int, Reply]()
    match_line(_HEAD, file, 1, lines[0], "the first line of ping")
    rows = iter(enumerate(lines[1:], 2))
    for number, line in rows:
        if _RULE.fullmatch(line):
            break
        if match := _REPLY.fullmatch(line):
            ms, arrived = float(match[5]), float(match[0][1:].partition("]")[0])
            # Further answers are marked as DUP.
            replies.setdefault(int(match[3]), Reply(ms, number, arrived - ms / 1e3))
        elif line and not _UNANSWERED.fullmatch(line):
            raise LogError(file, number, line, "a line of ping")
    place, line = next(rows, (len(lines), lines[-1]))
    total = match_line(_TOTAL, file, place, line, "the summary of ping (is the file cut?)")
    sent, received = map(int, total.groups())
    if received != len(replies) or not sent:
        raise LogError(file, place, line, f"{len(replies)} received, the replies above")
    for number, line in rows:
        if line:
            match_line(_STATISTICS, file, number, line, "the statistics of ping, then its end")
    return replies, sent, place

"""Round-trip time, its jitter, and loss, by ping(8) of iputils."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.agreement import FEW, Carried
from remeasure.bench.probes.base import Bench, LogError, Probe, text_lines
from remeasure.bench.probes.metrics import Metric, Metrics, Observation, Value
from remeasure.bench.probes.readers.ping_log import LARGEST_SEQUENCE, read_ping
from remeasure.bench.testbed.tools import Tool

_LATE_S = 0.5
"""how much later than planned a request may leave [s]; in released campaigns at most 0.035 s"""


class Ping(Probe):
    """Echo requests from one host to another."""

    kind: ClassVar = "ping"
    takes_ipv6: ClassVar = True
    size_fields: ClassVar = frozenset({"size"})
    tools: ClassVar = {"ping": Tool(["ping", "-V"], "iputils-ping")}
    address_in_log: ClassVar = ("target", r"(?:^PING \S+ \(|bytes from )(\S+?)(?=\)|:? )")
    time_in_log: ClassVar = r"^\[([0-9]+\.[0-9]+)\]"
    most_user: ClassVar = 0
    metrics: ClassVar = Metrics(
        rtt=Metric("ms", "one round trip (index: sequence number)", "delay"),
        sent=Metric("packets", "echo requests sent", "sent"),
        received=Metric("packets", "echo requests answered", "total"),
        loss=Metric("%", "echo requests not answered", "loss"),
        rtt_mean=Metric("ms", "mean round trip of one repeat", "delay"),
        jitter=Metric(
            "ms",
            "mean absolute difference of the round trips of consecutive requests that were both "
            "answered (Pratama 2025, section 3.3)",
            "variation",
        ),
    )

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

    @property
    def echoes(self) -> int:
        return self.count

    def seconds(self) -> float:
        return self.count * self.interval

    def options(self, bench: Bench) -> list[str]:
        """Further arguments of ping(8)."""
        return []

    def command(self, address: str) -> list[str]:
        """The command that sends the requests to `address`, without `options`."""
        size = ["-s", str(self.size)] if self.size is not None else []
        count = ["-c", str(self.count), "-i", f"{self.interval:g}", "-W", "2"]
        return ["ping", "-n", "-D", "-O", *count, *size, address]

    def measure(self, bench: Bench, stem: str) -> None:
        *command, address = self.command(bench.topology.address(self.target))
        command += [*self.options(bench), address]
        # ping exits with 1 when nothing at all came back: that is a measurement, not a failure.
        text = bench.remotes[self.source].run(
            command, timeout=self.seconds() * 1.5 + 15, check=False
        )
        bench.save(f"{stem}.log", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        log = read_ping(file, text_lines(file, content))
        for sequence, reply in log.replies.items():
            yield Value("rtt", reply.ms, reply.line, sequence)
        rtts = {sequence: reply.ms for sequence, reply in log.replies.items()}
        yield Value("sent", log.sent, log.line)
        yield Value("received", log.received, log.line)
        yield Value("loss", 100 * (log.sent - log.received) / log.sent, log.line)
        if rtts:
            yield Value("rtt_mean", sum(rtts.values()) / len(rtts), log.line)
        steps = [abs(rtts[i + 1] - rtts[i]) for i in rtts if i + 1 in rtts]
        if steps:
            yield Value("jitter", sum(steps) / len(steps), log.line)

    def carried(self, observations: list[Observation]) -> Carried:
        """The replies, on their way back to the source."""
        found = {o.metric: round(o.value) for o in observations}
        sent = found["sent"]
        return Carried(
            self.source,
            found["received"],
            sent,
            control_packets=FEW,
        )

    def settings_in_log(self, file: str) -> Mapping[str, object]:
        return {
            r"^PING .*?\b([0-9]+)(?:\([0-9]+\) bytes of data\.| data bytes)$": self.size or 56,
            r"^([0-9]+) packets transmitted": self.count,
        }

    def require_complete(self, file: str, content: bytes) -> None:
        """Requests that were answered left `interval` apart."""
        replies = read_ping(file, text_lines(file, content)).replies
        for sequence, reply in replies.items():
            gap = reply.sent - replies[sequence - 1].sent if sequence - 1 in replies else 0
            if gap > self.interval + _LATE_S:
                found = f"request {sequence} sent {gap:.3f} s after the one before"
                raise LogError(file, reply.line, found, f"{self.interval:g} s, as planned")

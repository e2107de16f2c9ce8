"""Round-trip time, its jitter, and loss, by ping(8) of iputils."""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from remeasure.ipsec.agreement import Carried
from remeasure.probes.base import Bench, LogError, Probe, text_lines
from remeasure.probes.metrics import Metric, Metrics, Observation, Value
from remeasure.testbed.tools import Tool
from remeasure.topology import HostName

_REPLY = re.compile(
    r"\[\d+\.\d+\] \d+ bytes from [\d.]+: icmp_seq=(\d+) ttl=\d+ time=(\d+(?:\.\d+)?) ms"
    r"( \(DUP!\))?"
)
_NO_ANSWER_YET = re.compile(r"\[\d+\.\d+\] no answer yet for icmp_seq=\d+")
_UNREACHABLE = re.compile(r"\[\d+\.\d+\] From [\d.]+ icmp_seq=\d+ \w[\w ]+")
_TOTAL = re.compile(
    r"(\d+) packets transmitted, (\d+) received, (?:\+\d+ \w+, )*"
    r"[\d.]+% packet loss, time \d+ms"
)
_NOISE = re.compile(r"PING .*|--- .* ping statistics ---|rtt min/avg/max/mdev = .*|")


class Ping(Probe):
    """Echo requests from one host to another."""

    kind: ClassVar = "ping"
    size_fields: ClassVar = frozenset({"size"})
    tools: ClassVar = {"ping": Tool(["ping", "-V"])}
    metrics: ClassVar = Metrics(
        rtt=Metric("ms", "one round trip (index: sequence number)"),
        sent=Metric("packets", "echo requests sent"),
        received=Metric("packets", "echo requests answered"),
        loss=Metric("%", "echo requests not answered"),
        rtt_mean=Metric("ms", "mean round trip of one repeat"),
        jitter=Metric(
            "ms",
            "mean absolute difference of the round trips of consecutive requests that were both "
            "answered (study pratama, section 3.3)",
        ),
    )

    source: HostName
    """host that sends the requests"""
    target: HostName
    """host that answers them"""
    count: int = Field(ge=1)
    """number of requests in one run"""
    interval: float = Field(gt=0)
    """time between two requests [s]"""
    size: int | None = Field(None, ge=16, le=65507)
    """payload of a request (-s), to which 28 bytes of headers come [bytes]; null: 56"""

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
        rtts: dict[int, float] = {}
        total: tuple[int, int] | None = None
        lines = text_lines(file, content)
        for number, line in enumerate(lines, 1):
            if match := _REPLY.fullmatch(line):
                if not match[3]:
                    rtts[int(match[1])] = float(match[2])
                    yield Value("rtt", float(match[2]), number, int(match[1]))
            elif match := _TOTAL.fullmatch(line):
                total = int(match[1]), int(match[2])
                total_line = number
            elif not any(p.fullmatch(line) for p in (_NO_ANSWER_YET, _UNREACHABLE, _NOISE)):
                raise LogError(file, number, line, "a line of ping")
        if total is None:
            raise LogError(file, len(lines), lines[-1], "the summary of ping (is the file cut?)")
        sent, received = total
        if received != len(rtts):
            raise LogError(
                file,
                total_line,
                f"{received} received",
                f"{len(rtts)}, the number of replies above",
            )
        yield Value("sent", sent, total_line)
        yield Value("received", received, total_line)
        yield Value("loss", 100 * (sent - received) / sent, total_line)
        if rtts:
            yield Value("rtt_mean", sum(rtts.values()) / len(rtts), total_line)
        steps = [abs(rtts[i + 1] - rtts[i]) for i in rtts if i + 1 in rtts]
        if steps:
            yield Value("jitter", sum(steps) / len(steps), total_line)

    def carried(self, observations: list[Observation]) -> Carried:
        """The replies, on their way back to the source."""
        found = {o.metric: round(o.value) for o in observations}
        return Carried(self.source, found["received"], found["sent"])

    def require_complete(self, file: str, content: bytes) -> None:
        sent = next(o for o in self.parse(file, content) if o.metric == "sent")
        if sent.value != self.count:
            raise LogError(file, sent.line, f"{sent.value:.0f} sent", f"{self.count}")

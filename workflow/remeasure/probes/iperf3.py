"""Goodput of TCP and UDP, by iperf3."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from remeasure.ipsec.agreement import (
    SEGMENT,
    SHORT_OR_RESENT,
    Carried,
    fewest_segments,
    most_segments,
)
from remeasure.probes.base import Bench, Ends, LogError, Probe
from remeasure.probes.metrics import Metric, Metrics, Observation, Side, Value
from remeasure.testbed.tools import Tool
from remeasure.testbed.wait import fail, wait_until
from remeasure.topology import HostName

PORT = 5201
# Another server may be left, of another trial or on another port.
_SERVE = f"""\
pkill -9 -x iperf3
{wait_until("! pgrep -x iperf3 >/dev/null", fail("iperf3 does not stop"), pause_s=0.02)}
iperf3 --server --daemon --port {PORT} || exit 1
{wait_until(f"ss -Hltn sport = :{PORT} | grep -q .", fail("iperf3 does not listen"), pause_s=0.02)}
"""
_PAUSE_S = 1
"""time before a run that did not begin is asked for once more [s]"""
_UPLOAD_3_9 = "; UDP uploads with version 3.9: sent less lost, an upper bound (side `both`)"


class Iperf3(Probe):
    """One run of iperf3, client to server (`up`) or server to client (`down`)."""

    kind: ClassVar = "iperf3"
    size_fields: ClassVar = frozenset({"length"})
    cost_fields: ClassVar = frozenset({"protocol"})
    prepared_by: ClassVar = ("server",)
    # Older versions may write the same format, but none of their logs has been tried.
    tools: ClassVar = {"iperf3": Tool(["iperf3", "--version"], oldest="3.9")}
    metrics: ClassVar = Metrics(
        goodput=Metric(
            "Mbit/s", f"payload that arrived, over the whole run{_UPLOAD_3_9}", "receiver"
        ),
        received_bytes=Metric("B", f"payload that arrived{_UPLOAD_3_9}", "receiver"),
        goodput_interval=Metric(
            "Mbit/s", "payload of each second (index), as the client counts: it sends an upload"
        ),
        retransmits=Metric("segments", "TCP segments sent again", "sender"),
        sent=Metric("datagrams", "UDP datagrams up to the last that arrived", "receiver"),
        offered=Metric("datagrams", "UDP datagrams sent", "sender"),
        lost=Metric("datagrams", "gaps in the sequence of UDP datagrams", "receiver"),
        loss=Metric("%", "lost UDP datagrams of the offered ones", "both"),
        jitter=Metric("ms", "variation of the delay of UDP datagrams, as in RFC 3550", "receiver"),
    )

    client: HostName
    """host that runs the iperf3 client"""
    server: HostName
    """host that runs the iperf3 server"""
    protocol: Literal["tcp", "udp"]
    """transport protocol of the run"""
    direction: Literal["up", "down"]
    """up: the client sends; down: the server sends (-R)"""
    duration: int = Field(ge=1)
    """duration of the run [s]"""
    window: Annotated[str, Field(pattern=r"^[1-9]\d*[KMG]?$")] | None = None
    """socket buffer of both ends (-w), such as 256K; null: the kernel decides"""
    rate: Annotated[str, Field(pattern=r"^[1-9]\d*(\.\d+)?[KMG]?$")] | None = None
    """rate at which UDP is sent (-b), such as 100M; null: 1 Mbit/s"""
    length: int | None = Field(None, ge=1, le=65507)
    """payload of a datagram (-l) [bytes]; required for UDP"""

    @model_validator(mode="after")
    def _udp_needs_length(self):
        if self.protocol == "udp" and self.length is None:
            raise ValueError("length: required for udp")
        return self

    @property
    def payload(self) -> int:
        """`length` of a run of UDP [bytes]. Raises ValueError where it is not set."""
        if self.length is None:
            raise ValueError(f"length: required for udp, not set in a run of {self.protocol}")
        return self.length

    def seconds(self) -> float:
        return self.duration + 1

    def options(self, address: str) -> list[str]:
        """Arguments of the client, for a server at `address`."""
        command = [
            "--json",
            "--port",
            str(PORT),
            "--time",
            str(self.duration),
            "--client",
            address,
            "--connect-timeout",
            "5000",
        ]
        options = {"--window": self.window, "--bitrate": self.rate, "--length": self.length}
        command += [part for key, value in options.items() if value for part in (key, str(value))]
        return command + (
            ["--udp"] * (self.protocol == "udp") + ["--reverse"] * (self.direction == "down")
        )

    def prepare(self, bench: Bench) -> None:
        bench.remotes[self.server].run(_SERVE)

    def measure(self, bench: Bench, stem: str) -> None:
        command = ["iperf3", *self.options(bench.topology.address(self.server))]
        client, limit = bench.remotes[self.client], self.duration + 40
        text = client.run(command, timeout=limit, check=False)
        if _did_not_begin(text):
            # A packet that opens a run was lost, or the server was still busy with the run before.
            client.run(["sleep", str(_PAUSE_S)])
            text = client.run(command, timeout=limit)
        bench.save(f"{stem}.json", text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; the line of a value is the one where its object starts in the JSON.

        Up to version 3.9 iperf3 has one object for UDP, `sum`. Its bytes and datagrams are the
        sender's, and its jitter and lost datagrams are the receiver's (iperf_api.c,
        iperf_print_results). In a download, what arrived is then the sum of the seconds, which the
        client counted as the receiver. In an upload, what arrived is what was sent less what was
        lost. That is an upper bound, since datagrams still on their way when the receiver stopped
        counting are neither arrived nor lost; in 780 uploads with later versions, which report
        both, the median excess is 0.
        """
        try:
            text = content.decode()
            log = json.loads(text)
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            line = getattr(error, "lineno", 1)
            raise LogError(file, line, str(error), "JSON of iperf3 (is the file cut?)") from None
        line = _line_finder(text)
        if not isinstance(log, dict) or "start" not in log or "end" not in log:
            raise LogError(file, 1, text[:60], "the JSON of iperf3, with start and end")
        if log.get("error"):
            raise LogError(file, line("error"), log["error"], "a run without error")
        try:
            run = _Run(file, log, line)
            yield from run.seconds()
            yield from run.datagrams() if run.udp else run.stream()
        except (KeyError, TypeError, IndexError, ZeroDivisionError) as error:
            raise LogError(file, 1, f"no {error}", "the JSON of iperf3, whole") from None

    def ends(self) -> Ends:
        hosts = (self.client, self.server)
        sender, receiver = hosts if self.direction == "up" else reversed(hosts)
        return Ends(sender, receiver, datagrams=self.protocol == "udp")

    def carried(self, observations: list[Observation]) -> Carried | None:
        found = {o.metric: o for o in observations if o.metric != "goodput_interval"}
        received = found["received_bytes"]
        if self.protocol == "tcp":
            size = received.value
            return Carried(
                self.ends().receiver, fewest_segments(size), most_segments(size, SEGMENT)
            )
        # Datagrams lost behind the gateway, in a full socket buffer, passed the SA; so did those
        # that were on their way when the receiver stopped counting.
        datagrams = received.value / self.payload
        if received.side != "receiver":
            datagrams /= SHORT_OR_RESENT
        return Carried(self.ends().receiver, int(datagrams), int(found["offered"].value))

    def require_complete(self, file: str, content: bytes) -> None:
        super().require_complete(file, content)
        start = json.loads(content)["start"]["test_start"]
        found = (start["protocol"].lower(), bool(start["reverse"]), start["duration"])
        expected = (self.protocol, self.direction == "down", self.duration)
        if found != expected:
            raise LogError(file, 1, f"test {found}", f"{expected} (protocol, reverse, seconds)")


def _did_not_begin(text: str) -> bool:
    """Whether iperf3 gave up before any payload was sent, according to its JSON."""
    try:
        log = json.loads(text)
    except json.JSONDecodeError:
        return False
    return isinstance(log, dict) and bool(log.get("error")) and not log.get("intervals")


@dataclass(frozen=True)
class _Run:
    """A parsed log."""

    file: str
    log: dict
    line: Callable[[str], int]
    """function: key of the JSON -> line of the log"""

    @property
    def udp(self) -> bool:
        return self.log["start"]["test_start"]["protocol"] == "UDP"

    @property
    def reverse(self) -> bool:
        """True if the client is the receiver."""
        return bool(self.log["start"]["test_start"]["reverse"])

    def seconds(self) -> Iterable[Value]:
        side: Side = "receiver" if self.reverse else "sender"
        for index, interval in enumerate(self.log.get("intervals", [])):
            line = self.line("intervals")
            if "sum" not in interval:
                raise LogError(self.file, line, f"interval {index}", "a sum in each interval")
            rate = interval["sum"]["bits_per_second"] / 1e6
            yield Value("goodput_interval", rate, line, index, side)

    def stream(self) -> Iterable[Value]:
        """Values of a TCP run."""
        sent, received = self.log["end"]["sum_sent"], self.log["end"]["sum_received"]
        yield from self._arrived(received["bytes"], received["bits_per_second"], "sum_received")
        if "retransmits" in sent:  # not where the system does not tell, as Windows
            yield Value("retransmits", sent["retransmits"], self.line("sum_sent"))

    def datagrams(self) -> Iterable[Value]:
        """Values of a UDP run."""
        end = self.log["end"]
        key = "sum_received" if "sum_received" in end else "sum"
        total, line = end[key], self.line(key)
        if total["packets"] == 0:
            raise LogError(self.file, line, "0 packets", "a receiver that counted datagrams")
        if not 0 <= total["lost_packets"] <= total["packets"]:
            # Seen with version 3.9, in a download whose datagrams overtook each other.
            found = f"{total['lost_packets']} of {total['packets']} datagrams lost"
            raise LogError(self.file, line, found, "no more lost than sent")
        if key == "sum":
            yield from self._arrived_of_sum(total)
            yield Value("offered", total["packets"], line)
        else:
            yield from self._arrived(total["bytes"], total["bits_per_second"], key)
            yield Value("sent", total["packets"], line)
            yield Value("offered", end["sum_sent"]["packets"], self.line("sum_sent"))
        yield Value("lost", total["lost_packets"], line)
        yield Value("loss", total["lost_percent"], line)
        yield Value("jitter", total["jitter_ms"], line)

    def _arrived_of_sum(self, total: dict) -> Iterable[Value]:
        """Values of what arrived, from an object that mixes both ends."""
        if self.reverse:
            size = sum(interval["sum"]["bytes"] for interval in self.log["intervals"])
            yield from self._arrived(size, 8 * size / total["seconds"], "intervals")
        else:
            datagram = self.log["start"]["test_start"]["blksize"]
            size = (total["packets"] - total["lost_packets"]) * datagram
            yield from self._arrived(size, 8 * size / total["seconds"], "sum", "both")

    def _arrived(
        self, size: float, bits_per_second: float, key: str, side: Side = ""
    ) -> Iterable[Value]:
        yield Value("goodput", bits_per_second / 1e6, self.line(key), side=side)
        yield Value("received_bytes", size, self.line(key), side=side)


def _line_finder(text: str) -> Callable[[str], int]:
    """A function: key -> line (from 1) of its last appearance as an object's key at the start of a
    line."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, quote, _ = line.strip().removeprefix('"').partition('":')
        if quote:
            lines[key] = number
    return lambda key: lines.get(key, 1)

"""Goodput of TCP and UDP, by iperf3 3.12 or later. Logs of versions up to 3.9 have one object for
UDP, `sum`, which mixes the counts of both ends (iperf_api.c, iperf_print_results); they are
refused."""

import json
from collections.abc import Callable, Iterable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.agreement import SEGMENT, Carried, fewest_segments, most_segments
from remeasure.bench.probes.base import Bench, Ends, LogError, Probe
from remeasure.bench.probes.metrics import MEANINGS, Side, Value
from remeasure.bench.testbed.tools import Tool, fail, wait_until
from remeasure.bench.testbed.treatments.shaping import DSCP_PATTERN, FASTEST, dscp

PORT = 5201
# Another server may be left, of another trial or on another port.
_SERVE = f"""\
pkill -9 -x iperf3
{wait_until("! pgrep -x iperf3 >/dev/null", fail("iperf3 does not stop"), pause_s=0.02)}
iperf3 --server --daemon --port {PORT} || exit 1
{wait_until(f"ss -Hltn sport = :{PORT} | grep -q .", fail("iperf3 does not listen"), pause_s=0.02)}
"""
_CONTROL_PACKETS = 60
"""packets of the control connection of a run, in one direction, at most: 14 to 22 in 500 runs"""
_UDP_RATE = 1 << 20
"""rate of UDP without -b (iperf3(1), 1 Mbit/s) [bit/s]"""
_PAUSE_S = 1
"""time before a run that did not begin is tried once more [s]"""


class Iperf3(Probe):
    """One run of iperf3, client to server (`up`) or server to client (`down`)."""

    kind: ClassVar = "iperf3"
    takes_ipv6: ClassVar = True
    size_fields: ClassVar = frozenset({"length", "mss"})
    cost_fields: ClassVar = frozenset({"protocol"})
    prepared_by: ClassVar = ("server",)
    tools: ClassVar = {"iperf3": Tool(["iperf3", "--version"], "iperf3", oldest="3.12")}
    meanings: ClassVar = MEANINGS["iperf3"]

    client: HostName
    """host that runs the iperf3 client"""
    server: HostName
    """host that runs the iperf3 server"""
    protocol: Literal["tcp", "udp"]
    """transport protocol of the run"""
    direction: Literal["up", "down"]
    """up: the client sends; down: the server sends (-R)"""
    duration: int = Field(ge=1, le=3600)
    """duration of the run [s]"""
    window: Annotated[str, Field(pattern=r"^[1-9][0-9]*[KMG]?$")] | None = None
    """socket buffer of both ends (-w), such as 256K; null: the kernel decides"""
    rate: Annotated[str, Field(pattern=r"^[1-9][0-9]*(\.[0-9]+)?[KMG]?$")] | None = None
    """rate at which UDP is sent (-b), such as 100M; null: 1 Mbit/s"""
    length: int | None = Field(None, ge=1, le=65507)
    """payload of a datagram (-l) [bytes]; required for UDP; of TCP: bytes of a write"""
    mss: int | None = Field(None, ge=88, le=9000)
    """maximum segment size of TCP (-M) [bytes], of which options of TCP take 12; null: as the path
    has it, which depends on the suite"""
    dscp: Annotated[str, Field(pattern=DSCP_PATTERN)] | None = None
    """DSCP of the traffic (--dscp), such as ef; null: none"""

    @model_validator(mode="after")
    def _udp_needs_length(self) -> Self:
        if self.protocol == "udp" and self.length is None:
            raise ValueError("length: required for udp")
        if self.protocol == "udp" and self.mss:
            raise ValueError(f"mss: found {self.mss}, expected none for udp")
        if self.window and _in_bytes(self.window) >= 1 << 30:
            raise ValueError(f"window: found {self.window}, expected less than 1G")
        if self.rate and _in_bits(self.rate) > FASTEST:
            raise ValueError(f"rate: found {self.rate}, expected at most {FASTEST / 1e9:g}G")
        return self

    def numbers(self) -> dict[str, dict[str, tuple[float, str, str]]]:
        if self.rate is None:
            return {}
        rate = _in_bits(self.rate) / 1e6
        return {"rate": {"rate": (rate, "Mbit/s", "rate at which UDP is sent")}}

    def seconds(self) -> float:
        return self.duration + 1

    def options(self, address: str) -> list[str]:
        """Arguments of the client, for a server at `address`."""
        given = f"--json --port {PORT} --time {self.duration} --client {address}"
        command = f"{given} --connect-timeout 5000"
        options = {"window": self.window, "bitrate": self.rate, "length": self.length}
        for name, value in (options | {"set-mss": self.mss, "dscp": self.dscp}).items():
            command += f" --{name} {value}" if value else ""
        command += " --udp" if self.protocol == "udp" else ""
        command += " --reverse" if self.direction == "down" else ""
        return command.split()

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
        """Yield values; the line of each is the one at which its object starts. Raises LogError if
        the log is not JSON of iperf3, of a run that failed, or contradicts itself as real logs
        have."""
        log, text = json.loads(content), content.decode()
        line = _line_finder(text)
        if log.get("error"):
            raise LogError(file, line("error"), str(log["error"]), "a run without error")
        if not log.get("intervals"):
            raise LogError(file, line("intervals"), "no interval", "one at least")
        settings, end = log["start"]["test_start"], log["end"]
        if "sum_received" not in end:
            raise LogError(file, line("end"), "no sum_received", "a log of iperf3 3.12 or later")
        _check_total(file, log, line)
        side: Side = "receiver" if settings["reverse"] else "sender"
        for index, interval in enumerate(log["intervals"]):
            rate = interval["sum"]["bits_per_second"] / 1e6
            yield Value("goodput_interval", rate, line("intervals"), index, side)
        sent, received = end["sum_sent"], end["sum_received"]
        yield Value("goodput", received["bits_per_second"] / 1e6, line("sum_received"))
        yield Value("received_bytes", received["bytes"], line("sum_received"))
        if settings["protocol"] == "UDP":
            yield from _datagrams(file, sent, received, line)
        elif "retransmits" in sent:  # not where the system does not tell, as Windows
            yield Value("retransmits", sent["retransmits"], line("sum_sent"))

    @property
    def _settings(self) -> dict[str, object]:
        """Settings of a run, by the names under which iperf3 prints them at its beginning."""
        bits = _in_bits(self.rate) if self.rate else _UDP_RATE if self.protocol == "udp" else 0
        return {
            "protocol": self.protocol.upper(),
            "num_streams": 1,
            "omit": 0,
            "duration": self.duration,
            "reverse": int(self.direction == "down"),
            "bidir": 0,
            "target_bitrate": bits,
            "sock_bufsize": _in_bytes(self.window) if self.window else 0,
            "tos": 4 * dscp(self.dscp) if self.dscp else 0,
            **({"blksize": self.length} if self.length else {}),
            **({"tcp_mss": self.mss} if self.mss else {}),
        }

    def require_complete(self, file: str, content: bytes) -> None:
        """The run had the settings of this probe, as far as its log has them: a report by hand has
        none, early versions lack some."""
        super().require_complete(file, content)
        if not file.endswith(".json"):
            return
        start, line = json.loads(content)["start"], _line_finder(content.decode())("test_start")
        for name, wanted in self._settings.items():
            if (has := (start | start["test_start"]).get(name, wanted)) != wanted:
                raise LogError(file, line, f"{name} {has}", f"{wanted}, as planned")

    def ends(self) -> Ends:
        hosts = (self.client, self.server)
        sender, receiver = hosts if self.direction == "up" else reversed(hosts)
        return Ends(sender, receiver, datagrams=self.protocol == "udp")

    def carried(self, observations: list[Value]) -> Carried | None:
        found = {o.metric: int(o.value) for o in observations}
        receiver, size = self.ends().receiver, found["received_bytes"]
        if self.protocol == "tcp":
            return Carried(receiver, fewest_segments(size), most_segments(size, SEGMENT))
        assert self.length
        # Datagrams lost behind the gateway, in a full socket buffer, passed the SA; so did
        # datagrams on their way when the receiver stopped counting.
        datagrams, offered = size // self.length, found["offered"]
        return Carried(receiver, datagrams, offered, control_packets=_CONTROL_PACKETS)


def _in_bits(rate: str) -> int:
    """'107.5M' as a number [bit/s]."""
    return round(float(rate.rstrip("KMG")) * {"K": 1e3, "M": 1e6, "G": 1e9}.get(rate[-1], 1))


def _in_bytes(size: str) -> int:
    """'256K' as a number [bytes]."""
    return int(size.rstrip("KMG")) << {"K": 10, "M": 20, "G": 30}.get(size[-1], 0)


def _did_not_begin(text: str) -> bool:
    """Whether iperf3 gave up before any payload was sent, according to its JSON."""
    try:
        log = json.loads(text)
    except json.JSONDecodeError:
        return False
    return isinstance(log, dict) and bool(log.get("error")) and not log.get("intervals")


_BLOCKS, _REST_SHARE = 64, 0.05
"""blocks that a client may have written, or read in a thread of its own, between its last interval
and its total, at most; or share of all bytes that it may have written; 3 and 0.032 have been
seen"""


def _check_total(file: str, log: dict[str, Any], line: Callable[[str], int]) -> None:
    """The intervals, which are the client's, and the client's total count the same traffic."""
    settings = log["start"]["test_start"]
    counted = sum(interval["sum"]["bytes"] for interval in log["intervals"])
    key = "sum_received" if settings["reverse"] else "sum_sent"
    total, rest = log["end"][key]["bytes"], _BLOCKS * settings["blksize"]
    if not settings["reverse"]:
        rest = max(rest, _REST_SHARE * total)
    if not counted <= total <= counted + rest:
        expected = f"{counted}, the bytes of the intervals"
        raise LogError(file, line(key), f"{total} bytes in {key}", expected)


def _datagrams(
    file: str, sent: dict[str, Any], received: dict[str, Any], line: Callable[[str], int]
) -> Iterable[Value]:
    """Values of a run of UDP, from the totals of both ends."""
    packets, lost, here = received["packets"], received["lost_packets"], line("sum_received")
    if packets == 0:
        raise LogError(file, here, "0 packets", "a receiver that counted datagrams")
    if not 0 <= lost <= packets:
        found = f"{lost} of {packets} datagrams lost"
        raise LogError(file, here, found, "no more lost than sent")
    yield Value("sent", packets, here)
    yield Value("offered", sent["packets"], line("sum_sent"))
    yield Value("lost", lost, here)
    yield Value("loss", received["lost_percent"], here)
    yield Value("jitter", received["jitter_ms"], here)


def _line_finder(text: str) -> Callable[[str], int]:
    """A function: key -> line (from 1) of its last appearance as an object's key at the start of a
    line."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, quote, _ = line.strip().removeprefix('"').partition('":')
        if quote:
            lines[key] = number
    return lambda key: lines.get(key, 1)

"""D-ITG: goodput, one-way delay and its variation, of one flow of constant rate."""

import math
import re
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from remeasure.ipsec.agreement import FRAGMENT, SHORT_OR_RESENT, Carried, fewest_segments
from remeasure.probes.base import Bench, Ends, LogError, Probe, text_lines
from remeasure.probes.metrics import Metric, Metrics, Observation, Value
from remeasure.testbed.tools import Tool
from remeasure.testbed.wait import fail, fail_showing, wait_until
from remeasure.topology import HostName

INTERVAL_MS = 100
"""length of an interval of the series [ms]"""
TAIL_S = 1.1
"""time by which a run may exceed the requested duration [s]: ITGSend sleeps for a second after its
last packet, while packets on their way arrive"""
_LEAST = {"udp": 20, "tcp": 24}
"""transport -> size of D-ITG's own header [bytes]; D-ITG sends these bytes even if fewer are
requested"""

_LOG, _OUT, _SERIES = "/tmp/ditg.log", "/run/itgrecv.out", "/tmp/ditg.series"
# ITGRecv appends to its log, so the log can be emptied before each run.
_START = f"""\
pkill -9 -x ITGRecv; pkill -9 -x ITGDec
{wait_until("! pgrep -x ITGRecv >/dev/null", fail("ITGRecv does not stop"), pause_s=0.02)}
rm -f {_LOG} {_SERIES} {_OUT}
setsid ITGRecv </dev/null >>{_OUT} 2>&1 &
{wait_until("ss -Hltn sport = :9000 | grep -q .", fail_showing(_OUT), pause_s=0.02)}
"""
_UNFINISHED = f"echo ITGRecv does not finish >&2; {fail_showing(_OUT)}"
# A run across midnight makes ITGDec write a series without end. Its spinner goes to standard error.
_DECODE = f"""\
{wait_until(f"grep -q '^Finish on' {_OUT}", _UNFINISHED, pause_s=0.02)}
grep -i error {_OUT} >&2 && exit 1
timeout -s KILL %d ITGDec {_LOG} -v -c {INTERVAL_MS} {_SERIES} || {{
  echo ITGDec does not end >&2; rm -f {_LOG} {_SERIES}; exit 1; }}
echo '--- series ---'
cat {_SERIES} && rm -f {_LOG} {_SERIES} && : >{_OUT}
"""

_NUMBER = r"(-?\d+(?:\.\d+)?)"


def _value(name: str, unit: str = "") -> str:
    return rf"{name} += +{_NUMBER}{unit}"


_VALUES = [
    _value("Total time", " s"),
    _value("Total packets"),
    _value("Minimum delay", " s"),
    _value("Maximum delay", " s"),
    _value("Average delay", " s"),
    _value("Average jitter", " s"),
    _value("Delay standard deviation", " s"),
    _value("Bytes received"),
    _value("Average bitrate", " Kbit/s"),
    _value("Average packet rate", " pkt/s"),
    rf"Packets dropped += +{_NUMBER} \({_NUMBER} %\)",
    rf"Average loss-burst size += +{_NUMBER} pkt",
]
_SUMMARY = [
    re.compile(pattern)
    for pattern in [
        r"ITGDec version 2\.8\.\d+ \(r\d+\)",
        r"Compile-time options: [\w ]+",
        "-{20,}",
        r"Flow number: \d+",
        r"From \S+:\d+",
        r"To +\S+:\d+",
        "-{20,}",
        *_VALUES,
        "-{20,}",
        "",
        "_{20,}",
        r"\*+  TOTAL RESULTS   \*+",
        "_{20,}",
        "Number of flows += +1",
        *_VALUES,
        _value("Error lines"),
        "-{20,}",
    ]
]
"""the lines of a summary of one flow, in order"""
_TOTALS = 25
"""index of the first value of the total results"""
_SERIES_LINE = re.compile(" ".join([r"(\d+\.\d+)"] + [_NUMBER] * 4))


class Ditg(Probe):
    """One flow of packets of one size, at a constant rate.

    A delay is the receiver's clock less the sender's, so it contains the difference of the clocks,
    and may be negative. Differences of delays, jitter and standard deviation do not contain it.
    """

    kind: ClassVar = "ditg"
    prepared_by: ClassVar = ("receiver",)
    reads_log: ClassVar = True  # ITGDec
    tools: ClassVar = {"d-itg": Tool(["ITGDec", "-h"])}
    metrics: ClassVar = Metrics(
        duration=Metric("s", "first packet to last", "receiver"),
        received=Metric("packets", "packets that arrived", "receiver"),
        delay_min=Metric(
            "ms", "least one-way delay, by the receiver's clock less the sender's", "receiver"
        ),
        delay_max=Metric("ms", "greatest one-way delay, by the same clocks", "receiver"),
        delay_mean=Metric("ms", "mean one-way delay, by the same clocks", "receiver"),
        jitter=Metric(
            "ms",
            "mean absolute difference of the delays of consecutive packets, which RFC 3550 smooths",
            "receiver",
        ),
        delay_sd=Metric("ms", "standard deviation of the one-way delays", "receiver"),
        received_bytes=Metric("B", "payload that arrived", "receiver"),
        goodput=Metric("Mbit/s", "payload that arrived, first packet to last", "receiver"),
        packet_rate=Metric("packets/s", "packets that arrived, first to last", "receiver"),
        lost=Metric(
            "packets", "gaps in the sequence, so none after the last that arrived", "receiver"
        ),
        loss=Metric("%", "lost packets of lost and received", "receiver"),
        goodput_interval=Metric(
            "Mbit/s", "payload that arrived in each 100 ms (index)", "receiver"
        ),
        delay_interval=Metric("ms", "mean one-way delay in each 100 ms (index)", "receiver"),
        jitter_interval=Metric("ms", "mean jitter in each 100 ms (index)", "receiver"),
        loss_interval=Metric("packets", "packets lost in each 100 ms (index)", "receiver"),
    )

    sender: HostName
    """host that runs ITGSend"""
    receiver: HostName
    """host that runs ITGRecv"""
    transport: Literal["tcp", "udp"]
    """transport protocol of the flow"""
    payload: int = Field(le=65507)
    """payload of a packet [bytes], D-ITG's own header of 20 (UDP) or 24 (TCP) bytes included"""
    rate: Annotated[str, Field(pattern=r"^(0\.\d*[1-9]\d*|[1-9]\d*(\.\d+)?)(pps|kbit|mbit)$")]
    """offered rate: packets a second ("1000pps") or bits of payload a second ("120mbit")"""
    duration: float = Field(gt=0)
    """duration of the flow [s]"""

    @model_validator(mode="after")
    def _room_for_header(self):
        least = _LEAST[self.transport]
        if self.payload < least:
            raise ValueError(
                f"payload: {self.payload}; D-ITG sends at least {least} bytes by {self.transport}"
            )
        return self

    @property
    def packets_per_second(self) -> float:
        number = self.rate.rstrip("psmkbit")
        unit = self.rate.removeprefix(number)
        scale = {"pps": 1, "kbit": 1e3 / 8 / self.payload, "mbit": 1e6 / 8 / self.payload}
        return float(number) * scale[unit]

    def seconds(self) -> float:
        return self.duration + 1.5

    def options(self, address: str, log: str) -> str:
        """Arguments of ITGSend, for a receiver at `address` that writes `log`."""
        return (
            f"-a {address} -T {self.transport.upper()} -c {self.payload} "
            f"-C {self.packets_per_second:.3f} -t {self.duration * 1000:.0f} -x {log}"
        )

    @property
    def decode_limit(self) -> float:
        """The longest that decoding may take [s]."""
        return 20 + 5 * self.duration

    def prepare(self, bench: Bench) -> None:
        bench.remotes[self.receiver].run(_START)

    def measure(self, bench: Bench, stem: str) -> None:
        send = f"ITGSend {self.options(bench.topology.address(self.receiver), _LOG)}"
        # An ITGSend that is interrupted corrupts the heap of ITGRecv; `prepare` starts a new one.
        bench.remotes[self.sender].run(
            f"timeout -s KILL {self.duration + 20:.1f} {send}", timeout=self.duration + 30
        )
        limit = self.decode_limit
        text = bench.remotes[self.receiver].run(_DECODE % limit, timeout=limit + 10)
        save_decoded(bench, stem, text)

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; `file` is a series of intervals (`.series.txt`) or a summary."""
        read = _read_series if file.endswith(".series.txt") else _read_summary
        return read(file, text_lines(file, content))

    def ends(self) -> Ends:
        return Ends(self.sender, self.receiver, datagrams=self.transport == "udp")

    def carried(self, observations: list[Observation]) -> Carried:
        values = {o.metric: o.value for o in observations if not o.metric.endswith("_interval")}
        if self.transport == "udp":
            # Packets lost behind the gateway, in a full socket buffer, did pass the SA. So did
            # those lost after the last one that arrived, which no gap in the numbers reveals.
            parts = math.ceil((self.payload + 8) / FRAGMENT)
            sent = (values["received"] + values["lost"]) * parts * SHORT_OR_RESENT
            return Carried(self.receiver, int(values["received"]), int(sent))
        # TCP may join small packets to full segments, send each by itself, or cut a long one.
        parts = math.ceil(self.payload / FRAGMENT)
        return Carried(
            self.receiver,
            fewest_segments(values["received_bytes"]),
            int(values["received"] * parts * SHORT_OR_RESENT),
        )

    def require_complete(self, file: str, content: bytes) -> None:
        observations = list(self.parse(file, content))
        # One packet is due every 1 / rate; the first and the last may be late.
        least = self.duration * 0.9 - 2 / self.packets_per_second
        if file.endswith(".series.txt"):
            last = observations[-1]
            if (last.index + 1) * INTERVAL_MS / 1e3 < least:
                raise LogError(
                    file,
                    last.line,
                    f"{last.index + 1} intervals of {INTERVAL_MS} ms",
                    f"about {self.duration:g} s (is the file cut?)",
                )
            return
        found = {o.metric: o for o in observations}
        received, size, duration = found["received"], found["received_bytes"], found["duration"]
        if size.value != received.value * self.payload:
            raise LogError(
                file,
                size.line,
                f"{size.value:.0f} bytes",
                f"{received.value:.0f} packets of {self.payload} bytes",
            )
        most = self.duration + TAIL_S
        if not least <= duration.value <= most:
            raise LogError(
                file,
                duration.line,
                f"{duration.value:g} s",
                f"about {self.duration:g} s, from first packet to last",
            )


def save_decoded(bench: Bench, stem: str, text: str) -> None:
    """Save what ITGDec printed, then a line '--- series ---' and the series that it wrote."""
    summary, _, series = text.partition("--- series ---\n")
    bench.save(f"{stem}.txt", summary)
    bench.save(f"{stem}.series.txt", series)


def _read_summary(file: str, lines: list[str]) -> Iterable[Value]:
    matches = []
    for number, line in enumerate(lines, 1):
        if number > len(_SUMMARY):
            raise LogError(file, number, line, "the end of a summary of one flow")
        match = _SUMMARY[number - 1].fullmatch(line.strip())
        if not match:
            raise LogError(file, number, line, f"{_SUMMARY[number - 1].pattern} of ITGDec")
        matches.append(match)
    if len(lines) < len(_SUMMARY):
        raise LogError(file, len(lines), lines[-1], "the rest of a summary (is the file cut?)")
    values = [float(match[1]) for match in matches[_TOTALS:-1]]
    dropped = matches[_TOTALS + 10]
    if values[-1]:
        raise LogError(file, len(lines) - 1, lines[-2], "no error lines")
    if values[1] < 2 or values[0] <= 0:
        raise LogError(file, _TOTALS + 2, lines[_TOTALS + 1], "two packets at least")
    named = [
        ("duration", 0, 1),
        ("received", 1, 1),
        ("delay_min", 2, 1e3),
        ("delay_max", 3, 1e3),
        ("delay_mean", 4, 1e3),
        ("jitter", 5, 1e3),
        ("delay_sd", 6, 1e3),
        ("received_bytes", 7, 1),
        ("goodput", 8, 1e-3),
        ("packet_rate", 9, 1),
        ("lost", 10, 1),
    ]
    for metric, index, scale in named:
        yield Value(metric, values[index] * scale, _TOTALS + index + 1)
    yield Value("loss", float(dropped[2]), _TOTALS + 11)


def _read_series(file: str, lines: list[str]) -> Iterable[Value]:
    for index, line in enumerate(lines):
        number = index + 1
        match = _SERIES_LINE.fullmatch(line)
        if not match:
            raise LogError(file, number, line, "time, bitrate, delay, jitter and loss of ITGDec")
        time, bitrate, delay, jitter, loss = map(float, match.groups())
        if round(time * 1000) != index * INTERVAL_MS:
            raise LogError(file, number, line, f"the interval from {index * INTERVAL_MS} ms")
        yield Value("goodput_interval", bitrate / 1e3, number, index)
        yield Value("delay_interval", delay * 1e3, number, index)
        yield Value("jitter_interval", jitter * 1e3, number, index)
        yield Value("loss_interval", loss, number, index)

"""TCP throughput of parallel streams by iperf 2 (`-yC`), and the load of each processor.

The sender counts data given to its kernel, which at the end of a short run is more than has
arrived. Wagner 2025 has only the sender's rows. This probe keeps both, and takes the throughput
from the receiver's.

A row of `-yC` has time, addresses and ports, the stream's number, the interval, bytes, and bits per
second (the sum of all streams has number -1). A stream that ends before others writes the row of
its whole run between rows of their last second, so rows are distinguished by their interval, not by
their place. The row of a second without arrivals lacks the addresses.

By mpstat (`-o JSON`) a processor is busy whenever it is not idle. Finer kinds of time mean nothing
in User Mode Linux, which counts time of the kernel as time of users.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from pydantic import Field

from remeasure.bench.base.topology import HostName
from remeasure.bench.ipsec.agreement import SUPER_SEGMENT, Carried, fewest_segments, most_segments
from remeasure.bench.probes.base import Bench, Ends, LogError, Probe, matched_lines
from remeasure.bench.probes.metrics import MEANINGS, Value
from remeasure.bench.testbed.tools import Tool, fail_showing, wait_until

SUM = -1
WRITE = 131072
"""size of one write of iperf, which a stream may still hold when its time is up [bytes]"""
_ROW = re.compile(
    r"[0-9]{14}(?:\.[0-9]+)?,(?:[0-9.]+,[0-9]+,[0-9.]+,[0-9]+)?,(-?[0-9]+),"
    r"([0-9]+\.[0-9]+)-([0-9]+\.[0-9]+),([0-9]+),([0-9]+)"
)
_RECEIVED, _WATCHED = "/run/iperf.csv", "/run/mpstat.json"
_SERVE = (
    f"setsid iperf --server --interval 1 --reportstyle C >{_RECEIVED} 2>/run/iperf.err "
    "</dev/null & "
    + wait_until("ss -Hltn sport = :5001 | grep -q .", fail_showing("/run/iperf.err"))
)


def _end_serving(streams: int) -> str:
    """Commands that wait for the rows of the whole run, and end the server. The server writes the
    row of a stream when that has closed. A stream may still retransmit losses when the sender's
    program has ended, with pauses that double, so it gets a minute. The sum follows the last
    stream, but is left out now and then, so it gets a second."""
    whole = f"grep -cE ',0\\.0-(1\\.[5-9]|[2-9]|[1-9][0-9])[0-9.]*,' {_RECEIVED}"
    closed = wait_until(f"[ $({whole}) -ge {streams} ]", "break", steps=600, pause_s=0.1)
    summed = wait_until(f"[ $({whole}) -gt {streams} ]", "break", steps=10, pause_s=0.1)
    end = "pkill -x iperf; while pgrep -x iperf >/dev/null; do sleep 0.05; done"
    return f"{closed}; {summed + '; ' if streams > 1 else ''}{end}"


class Iperf2(Probe):
    """One run from client to server, while mpstat watches the processors of both."""

    kind: ClassVar = "iperf2"
    tools: ClassVar = {
        "iperf": Tool(["iperf", "--version"], "iperf"),
        "mpstat": Tool(["mpstat", "-V"], "sysstat"),
    }
    meanings: ClassVar = MEANINGS["iperf2"]

    client: HostName
    """host that runs the iperf client, which sends"""
    server: HostName
    """host that runs the iperf server"""
    streams: int = Field(1, ge=1, le=1000)
    """number of TCP connections at the same time (-P) [connections]"""
    duration: int = Field(ge=2, le=3600)
    """duration of the run [s]"""

    def seconds(self) -> float:
        return self.duration + 2

    def measure(self, bench: Bench, stem: str) -> None:
        watched = {role: bench.remotes[role] for role in (self.client, self.server)}
        server = watched[self.server]
        server.run(_SERVE)
        watch = ["mpstat", "-P", "ALL", "-o", "JSON", "1", str(self.duration)]
        for remote in watched.values():
            remote.start(watch, _WATCHED)
        address = bench.topology.address(self.server)
        command = f"iperf --client {address} --parallel {self.streams} --time {self.duration}"
        command += " --interval 1 --reportstyle C"
        sent = watched[self.client].run(command.split(), timeout=self.duration + 60)
        over = "while pgrep -x mpstat >/dev/null; do sleep 0.1; done"
        for role, remote in watched.items():
            remote.run(over, timeout=self.duration + 20)
            bench.save(f"{stem}.{role}.mpstat.json", remote.read(_WATCHED))
        server.run(_end_serving(self.streams), timeout=180)
        bench.save(f"{stem}.sent.csv", sent)
        bench.save(f"{stem}.received.csv", server.read(_RECEIVED))

    @classmethod
    def read(cls, file: str, content: bytes) -> Iterable[Value]:
        """Yield values; `file` is the log of the receiver, of the sender (`.sent.csv`), or of
        mpstat on a host (`.<host>.mpstat.json`)."""
        if file.endswith(".mpstat.json"):
            yield from _read_load(file, content)
            return
        rows = read_rows(file, content)
        whole, streams = wholes_of(file, rows)
        seconds = seconds_of(file, rows, len(streams))
        if file.endswith(".sent.csv"):
            mean = sum(row.bits_per_second for row in seconds) / len(seconds)
            yield Value("sent_throughput", mean / 1e6, whole.line)
            yield Value("sent_bytes", whole.bytes, whole.line)
            return
        for index, row in enumerate(seconds):
            yield Value("throughput_interval", row.bits_per_second / 1e6, row.line, index)
        size = [row.bytes for row in streams]
        yield Value("throughput", whole.bits_per_second / 1e6, whole.line)
        yield Value("received_bytes", whole.bytes, whole.line)
        yield Value("streams", len(streams), whole.line)
        yield Value("fairness", jain(size), whole.line)

    def ends(self) -> Ends:
        return Ends(self.client, self.server)

    def carried(self, observations: list[Value]) -> Carried:
        found = {o.metric: int(o.value) for o in observations}
        received, sent = found["received_bytes"], found["sent_bytes"]
        least, most = fewest_segments(received, SUPER_SEGMENT), most_segments(sent)
        return Carried(self.server, least, most, least_bytes=received)

    def require_complete(self, file: str, content: bytes) -> None:
        super().require_complete(file, content)
        if file.endswith(".csv"):
            rows = read_rows(file, content)
            whole, streams = wholes_of(file, rows)
            if len(streams) != self.streams:
                raise LogError(file, whole.line, f"{len(streams)} streams", f"{self.streams}")
            if file.endswith(".sent.csv") and whole.end < self.duration:
                raise LogError(file, whole.line, f"{whole.end:g} s", f"{self.duration} s")


def _read_load(file: str, content: bytes) -> Iterable[Value]:
    """Yield the busy shares of a host. The line of every value is the first one."""
    role = file.rsplit(".", 3)[1]
    (host,) = json.loads(content)["sysstat"]["hosts"]
    readings = [
        {load["cpu"]: 100 - load["idle"] for load in reading["cpu-load"]}
        for reading in host["statistics"]
    ]
    for index, reading in enumerate(readings):
        yield Value(f"{role}_busy", reading["all"], 1, index)
    for cpu in range(host["number-of-cpus"]):
        mean = sum(reading[str(cpu)] for reading in readings) / len(readings)
        yield Value(f"{role}_cpu{cpu}_busy", mean, 1)


def jain(sizes: Sequence[float]) -> float:
    """Jain's fairness index (Jain, Chiu, Hawe, 1984): 1 if all n are equal, 1/n if one has all."""
    return sum(sizes) ** 2 / (len(sizes) * sum(size * size for size in sizes))


class IntervalRow(NamedTuple):
    """One line: the traffic of a stream (SUM: of all streams) in an interval."""

    line: int
    """number of the line in the file, from 1"""
    stream: int
    begin: float
    """begin of the interval, since the start of the run [s]"""
    end: float
    """end of the interval, since the start of the run [s]"""
    bytes: int
    bits_per_second: int

    @property
    def of_second(self) -> bool:
        """True if the interval is one second."""
        return self.end - self.begin < 1.5

    @property
    def of_run(self) -> bool:
        """True if the interval is the whole run. A sum may also be of its last seconds together."""
        return self.begin == 0 and not self.of_second


def read_rows(file: str, content: bytes) -> list[IntervalRow]:
    """All rows of a log. Raises LogError."""
    rows = []
    for number, match in matched_lines(_ROW, file, content, "a row of iperf -yC"):
        stream, begin, end, size, rate = match.groups()
        rows.append(
            IntervalRow(number, int(stream), float(begin), float(end), int(size), int(rate))
        )
    return rows


def seconds_of(file: str, rows: list[IntervalRow], streams: int) -> list[IntervalRow]:
    """The row of the sum of all streams, for each second in which all ran, in order. If streams are
    out of step, iperf leaves out the sum of some seconds; it is then made from the rows of the
    streams. A single stream is its own sum. Raises LogError if such a second lacks a stream."""
    end = min((row.end for row in rows if row.of_run), default=float("inf"))
    by_begin: dict[float, dict[int, IntervalRow]] = defaultdict(dict)
    for row in rows:
        if row.of_second and row.begin + 1 <= end:
            by_begin[row.begin][row.stream] = row
    sums = []
    for begin, found in sorted(by_begin.items()):
        own = [row for stream, row in found.items() if stream != SUM]
        line = next(iter(found.values())).line
        if begin + 1 == end and all(row.bytes <= WRITE for row in own):
            break  # not a second of the run: the rest of each stream's last write
        if len(own) != streams:
            raise LogError(file, line, f"{len(own)} streams at {begin:g} s", f"{streams}")
        size, rate = sum(row.bytes for row in own), sum(row.bits_per_second for row in own)
        sums.append(found.get(SUM) or own[-1]._replace(bytes=size, bits_per_second=rate))
    return sums


def wholes_of(file: str, rows: list[IntervalRow]) -> tuple[IntervalRow, list[IntervalRow]]:
    """The row of the whole run for all streams together, and the row of each stream. A sum that
    iperf left out is made from the rows of the streams; a single stream is its own sum. Raises
    LogError if no stream has such a row."""
    wholes = {row.stream: row for row in rows if row.of_run}
    streams = [row for stream, row in wholes.items() if stream != SUM]
    if not streams:
        raise LogError(file, len(rows), "no row of a whole run", "one for every stream")
    if SUM in wholes:
        return wholes[SUM], streams
    # The run lasts as long as its longest stream. A row gives its end only to 0.1 s; bytes and rate
    # give the duration more exactly.
    size = sum(row.bytes for row in streams)
    lasted = max(
        8 * row.bytes / row.bits_per_second if row.bits_per_second else row.end for row in streams
    )
    last = max(streams, key=lambda row: row.line)
    return last._replace(bytes=size, bits_per_second=round(8 * size / lasted)), streams

"""TCP throughput of parallel streams by iperf 2 (`-yC`), and how busy each processor was.

A row has time, addresses and ports, the stream's number, the interval, bytes, and bits per second
(the sum of all streams has number -1). A stream that ends before others writes the row of its whole
run between rows of their last second, so rows are told apart by their interval, not by their place.
The row of a second in which nothing arrived lacks the addresses.

What the sender counts is what it could hand to its kernel, which at the end of a short run is more
than what has arrived; study wagner has the sender's rows only. We keep both, and take the
receiver's for the throughput.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from pydantic import Field

from remeasure.ipsec.agreement import Carried
from remeasure.probes.base import Bench, LogError, Observation, Probe, text_lines
from remeasure.probes.readers import mpstat
from remeasure.testbed.wait import fail_showing, wait_until

SUM = -1
_WRITE = 131072
"""bytes that iperf writes at once: what a stream may still hold when time is up"""
_RECEIVED = "/run/iperf.csv"
_SERVE = (
    f"setsid iperf --server --interval 1 --reportstyle C >{_RECEIVED} 2>/run/iperf.err "
    "</dev/null & "
    + wait_until("ss -Hltn sport = :5001 | grep -q .", fail_showing("/run/iperf.err"))
)
# It writes the rows of the whole run, so many, when streams have closed.
_END_SERVING = (
    wait_until(f"[ $(grep -c ',0.0-[0-9.]*,' {_RECEIVED}) -ge %d ]", "break", pause_s=0.1)
    + "; pkill -x iperf; while pgrep -x iperf >/dev/null; do sleep 0.05; done"
)
_ROW = re.compile(
    r"(\d{14})(?:\.\d+)?,(?:[\d.]+,\d+,[\d.]+,\d+)?,(-?\d+),([\d.]+)-([\d.]+),(\d+),(\d+)"
)


@dataclass(frozen=True)
class Row:
    """One line: what a stream (SUM: all of them) sent in an interval."""

    line: int
    stream: int
    begin: float
    """s since the start of the run"""
    end: float
    bytes: int
    bits_per_second: int
    stamp: str
    """of the sender's clock, YYYYMMDDhhmmss; of a second's row it is not exact"""

    @property
    def of_second(self) -> bool:
        return self.end - self.begin < 1.5


def read_rows(file: str, content: bytes) -> list[Row]:
    """Raises LogError naming a line that is not a row."""
    rows = []
    for number, line in enumerate(text_lines(file, content), 1):
        match = _ROW.fullmatch(line)
        if not match:
            raise LogError(file, number, line, "a row of iperf -yC")
        stamp, stream, begin, end, size, rate = match.groups()
        rows.append(Row(number, int(stream), float(begin), float(end), int(size), int(rate), stamp))
    return rows


def seconds_of(file: str, rows: list[Row], streams: int) -> list[Row]:
    """Of each second in which all streams ran, in order, the row of their sum. Where streams are
    out of step iperf has none for some seconds, and it is made of theirs; one stream is its own.

    Raises LogError where such a second lacks a stream.
    """
    end = min((row.end for row in rows if not row.of_second), default=float("inf"))
    by_begin: dict[float, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        if row.of_second and row.begin + 1 <= end:
            by_begin[row.begin][row.stream] = row
    sums = []
    for begin, found in sorted(by_begin.items()):
        present = [stream for stream in found if stream != SUM]
        line = next(iter(found.values())).line
        if begin + 1 == end and sum(found[stream].bytes for stream in present) <= _WRITE:
            break  # no second of the run, but the rest of its last write
        if len(present) != streams:
            raise LogError(file, line, f"{len(present)} streams at {begin:g} s", f"{streams}")
        sums.append(found.get(SUM) or _sum([found[stream] for stream in present]))
    return sums


def _sum(rows: list[Row]) -> Row:
    return replace(
        rows[-1],
        bytes=sum(row.bytes for row in rows),
        bits_per_second=sum(row.bits_per_second for row in rows),
    )


def wholes_of(file: str, rows: list[Row]) -> tuple[Row, list[Row]]:
    """The row of the whole run of all streams together, and that of each.

    Raises LogError where there is none.
    """
    wholes = {row.stream: row for row in rows if not row.of_second}
    streams = [row for stream, row in wholes.items() if stream != SUM]
    if not streams:
        raise LogError(file, len(rows), "no row of a whole run", "one for every stream")
    if len(streams) > 1 and SUM not in wholes:
        raise LogError(file, len(rows), "no sum of the whole run", "a row with stream -1")
    return wholes.get(SUM, streams[0]), streams


class Iperf2(Probe):
    """One run from client to server, with the processors of both watched."""

    kind: ClassVar = "iperf2"
    tools: ClassVar = {"iperf": ["iperf", "--version"], "mpstat": ["mpstat", "-V"]}

    client: str
    server: str
    streams: int = Field(1, ge=1)
    duration: int = Field(ge=2)
    """seconds"""

    def seconds(self) -> float:
        return self.duration + 2

    def measure(self, bench: Bench, stem: str) -> None:
        watched = {role: bench.remotes[role] for role in (self.client, self.server)}
        server = watched[self.server]
        server.run(_SERVE)
        for remote in watched.values():
            remote.start(mpstat.command(self.duration), mpstat.OUTPUT)
        sent = watched[self.client].run(
            [
                "iperf",
                "--client",
                bench.topology.address(self.server),
                "--parallel",
                str(self.streams),
                "--time",
                str(self.duration),
                "--interval",
                "1",
                "--reportstyle",
                "C",
            ],
            timeout=self.duration + 60,
        )
        for role, remote in watched.items():
            remote.run(
                "while pgrep -x mpstat >/dev/null; do sleep 0.1; done", timeout=self.duration + 20
            )
            bench.save(f"{stem}.{role}.mpstat.json", remote.read(mpstat.OUTPUT))
        # Each has one, besides that of its first second; and so has their sum.
        rows = 2 * (self.streams + (self.streams > 1))
        server.run(_END_SERVING % rows, timeout=30)
        bench.save(f"{stem}.sent.csv", sent)
        bench.save(f"{stem}.received.csv", server.read(_RECEIVED))

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """Of the receiver: throughput (Mbit/s, all streams, whole run), throughput_interval (the
        same, index: second), received_bytes (B), streams, fairness (Jain's index of the streams'
        bytes). Of the sender: sent_throughput (Mbit/s, mean of seconds, as study wagner has it),
        sent_bytes (B). Of mpstat: see its module."""
        if file.endswith(".mpstat.json"):
            yield from mpstat.parse(file, content, file.rsplit(".", 3)[1])
            return
        rows = read_rows(file, content)
        whole, streams = wholes_of(file, rows)
        seconds = seconds_of(file, rows, len(streams))
        if file.endswith(".sent.csv"):
            mean = sum(row.bits_per_second for row in seconds) / len(seconds)
            yield Observation("sent_throughput", mean / 1e6, "Mbit/s", whole.line)
            yield Observation("sent_bytes", whole.bytes, "B", whole.line)
            return
        for index, row in enumerate(seconds):
            yield Observation(
                "throughput_interval", row.bits_per_second / 1e6, "Mbit/s", row.line, index
            )
        size = [row.bytes for row in streams]
        yield Observation("throughput", whole.bits_per_second / 1e6, "Mbit/s", whole.line)
        yield Observation("received_bytes", whole.bytes, "B", whole.line)
        yield Observation("streams", len(streams), "streams", whole.line)
        yield Observation("fairness", jain(size), "", whole.line)

    def carried(self, observations: list[Observation]) -> Carried:
        received = next(o.value for o in observations if o.metric == "received_bytes")
        sent = next(o.value for o in observations if o.metric == "sent_bytes")
        return Carried(self.server, int(received / 65536), int(1.5 * sent / 1300), int(received))

    def check(self, file: str, content: bytes) -> None:
        super().check(file, content)
        if file.endswith(".csv"):
            rows = read_rows(file, content)
            whole, streams = wholes_of(file, rows)
            if len(streams) != self.streams:
                raise LogError(file, whole.line, f"{len(streams)} streams", f"{self.streams}")
            if file.endswith(".sent.csv") and whole.end < self.duration:
                raise LogError(file, whole.line, f"{whole.end:g} s", f"{self.duration} s")


def jain(sizes: list[float]) -> float:
    """Jain's fairness index: 1 if all are equal, 1/n if one has it all (Jain, Chiu, Hawe, 1984)."""
    return sum(sizes) ** 2 / (len(sizes) * sum(size * size for size in sizes))

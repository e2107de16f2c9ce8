"""TCP throughput of parallel streams by iperf 2 (`-yC`), and how busy each processor was.

A row has time, addresses and ports, the stream's number, the interval, bytes, and bits per second
(the sum of all streams has number -1). A stream that ends before others writes the row of its whole
run between rows of their last second, so rows are told apart by their interval, not by their place.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from remeasure.ipsec.agreement import Carried
from remeasure.probes import mpstat
from remeasure.probes.base import Bench, LogError, Observation, Probe, text_lines

SUM = -1
_ROW = re.compile(
    r"(\d{14})(?:\.\d+)?,[\d.]+,\d+,[\d.]+,\d+,(-?\d+),([\d.]+)-([\d.]+),(\d+),(\d+)")


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
        _, stream, begin, end, size, rate = match.groups()
        rows.append(Row(number, int(stream), float(begin), float(end), int(size), int(rate)))
    return rows


def seconds_of(file: str, rows: list[Row], streams: int) -> list[Row]:
    """The sum row of each second, in order; that of a single stream is its own.

    Raises LogError where a second lacks a stream, or its sum.
    """
    by_begin: dict[float, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        if row.of_second:
            by_begin[row.begin][row.stream] = row
    sums = []
    for begin, found in sorted(by_begin.items()):
        present = [stream for stream in found if stream != SUM]
        line = next(iter(found.values())).line
        if len(present) != streams:
            raise LogError(file, line, f"{len(present)} streams at {begin:g} s", f"{streams}")
        if streams > 1 and SUM not in found:
            raise LogError(file, line, f"no sum at {begin:g} s", "a row with stream -1")
        sums.append(found[SUM] if streams > 1 else found[present[0]])
    return sums


class Iperf2(Probe):
    """One run from client to server, with the processors of both watched."""

    kind: ClassVar = "iperf2"
    prepared_by: ClassVar = ("server",)
    tools: ClassVar = {"iperf": ["iperf", "--version"], "mpstat": ["mpstat", "-V"]}

    client: str
    server: str
    streams: int = Field(1, ge=1)
    duration: int = Field(ge=2)
    """seconds"""

    def seconds(self) -> float:
        return self.duration + 2

    def prepare(self, bench: Bench) -> None:
        bench.remotes[self.server].run("pgrep -x iperf >/dev/null || iperf --server --daemon")

    def measure(self, bench: Bench, stem: str) -> None:
        watched = {role: bench.remotes[role] for role in (self.client, self.server)}
        for remote in watched.values():
            remote.start(mpstat.command(self.duration), mpstat.OUTPUT)
        text = bench.remotes[self.client].run(
            ["iperf", "--client", bench.topology.address(self.server), "--parallel",
             str(self.streams), "--time", str(self.duration), "--interval", "1",
             "--reportstyle", "C"], timeout=self.duration + 40)
        for role, remote in watched.items():
            remote.run("while pgrep -x mpstat >/dev/null; do sleep 0.1; done",
                       timeout=self.duration + 20)
            bench.save(f"{stem}.{role}.mpstat.json", remote.read(mpstat.OUTPUT))
        bench.save(f"{stem}.csv", text)

    @classmethod
    def parse(cls, file: str, content: bytes) -> Iterable[Observation]:
        """Of iperf: throughput (Mbit/s, all streams, whole run), throughput_interval (the same,
        index: second), sent_bytes (B), streams, fairness (Jain's index of the streams' bytes).
        Of mpstat: see its module."""
        if file.endswith(".mpstat.json"):
            role = file.rsplit(".", 3)[1]
            yield from mpstat.parse(file, content, role)
            return
        rows = read_rows(file, content)
        wholes = {row.stream: row for row in rows if not row.of_second}
        streams = [stream for stream in wholes if stream != SUM]
        if not streams:
            raise LogError(file, len(rows), "no row of a whole run", "one for every stream")
        for index, row in enumerate(seconds_of(file, rows, len(streams))):
            yield Observation("throughput_interval", row.bits_per_second / 1e6, "Mbit/s",
                              row.line, index)
        if len(streams) > 1 and SUM not in wholes:
            raise LogError(file, len(rows), "no sum of the whole run", "a row with stream -1")
        whole = wholes[SUM] if len(streams) > 1 else wholes[streams[0]]
        sent = [wholes[stream].bytes for stream in streams]
        yield Observation("throughput", whole.bits_per_second / 1e6, "Mbit/s", whole.line)
        yield Observation("sent_bytes", whole.bytes, "B", whole.line)
        yield Observation("streams", len(streams), "streams", whole.line)
        yield Observation("fairness", sum(sent)**2 / (len(sent) * sum(x * x for x in sent)), "",
                          whole.line)

    def carried(self, observations: list[Observation]) -> Carried:
        sent = next(o.value for o in observations if o.metric == "sent_bytes")
        # What was sent and not yet acknowledged when the run ended may not have arrived.
        return Carried(self.server, int(0.9 * sent / 1460), int(1.5 * sent / 1400))

    def check(self, file: str, content: bytes) -> None:
        super().check(file, content)
        if file.endswith(".csv"):
            rows = read_rows(file, content)
            found = len({row.stream for row in rows} - {SUM})
            if found != self.streams:
                raise LogError(file, len(rows), f"{found} streams", f"{self.streams}")
            if max(row.end for row in rows) < self.duration:
                raise LogError(file, len(rows), f"{max(r.end for r in rows):g} s",
                               f"a run of {self.duration} s")

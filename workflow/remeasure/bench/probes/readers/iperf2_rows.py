"""The rows of iperf 2 (`-yC`): of each stream and of all together, for each second and the run.

A row has time, addresses and ports, the stream's number, the interval, bytes, and bits per second
(the sum of all streams has number -1). A stream that ends before others writes the row of its whole
run between rows of their last second, so rows are told apart by their interval, not by their place.
The row of a second in which nothing arrived lacks the addresses.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, replace

from remeasure.bench.probes.base import LogError, text_lines

SUM = -1
WRITE = 131072
"""size of one write of iperf, which a stream may still hold when its time is up [bytes]"""
_ROW = re.compile(
    r"([0-9]{14})(?:\.[0-9]+)?,(?:[0-9.]+,[0-9]+,[0-9.]+,[0-9]+)?,(-?[0-9]+),"
    r"([0-9]+\.[0-9]+)-([0-9]+\.[0-9]+),([0-9]+),([0-9]+)"
)


@dataclass(frozen=True)
class Row:
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
    stamp: str
    """time on the clock of the end that wrote the row, YYYYMMDDhhmmss; not exact in the row of a
    second"""

    @property
    def of_second(self) -> bool:
        """True if the interval is one second."""
        return self.end - self.begin < 1.5

    @property
    def of_run(self) -> bool:
        """True if the interval is the whole run. A sum may also be of its last seconds together."""
        return self.begin == 0 and not self.of_second


def read_rows(file: str, content: bytes) -> list[Row]:
    """All rows of a log. Raises LogError naming a line that is not a row."""
    rows = []
    for number, line in enumerate(text_lines(file, content), 1):
        match = _ROW.fullmatch(line)
        if not match:
            raise LogError(file, number, line, "a row of iperf -yC")
        stamp, stream, begin, end, size, rate = match.groups()
        rows.append(Row(number, int(stream), float(begin), float(end), int(size), int(rate), stamp))
    return rows


def seconds_of(file: str, rows: list[Row], streams: int) -> list[Row]:
    """The row of the sum of all streams, for each second in which all ran, in order.

    Where streams are out of step, iperf leaves out the sum of some seconds; it is then made from
    the rows of the streams. A single stream is its own sum. Raises LogError where such a second
    lacks a stream.
    """
    end = min((row.end for row in rows if row.of_run), default=float("inf"))
    by_begin: dict[float, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        if row.of_second and row.begin + 1 <= end:
            by_begin[row.begin][row.stream] = row
    sums = []
    for begin, found in sorted(by_begin.items()):
        present = [stream for stream in found if stream != SUM]
        line = next(iter(found.values())).line
        if begin + 1 == end and sum(found[stream].bytes for stream in present) <= WRITE:
            break  # not a second of the run: the rest of its last write
        if len(present) != streams:
            raise LogError(file, line, f"{len(present)} streams at {begin:g} s", f"{streams}")
        sums.append(found.get(SUM) or _sum([found[stream] for stream in present]))
    return sums


def _sum(rows: list[Row]) -> Row:
    """The sum of streams over the same second."""
    return replace(
        rows[-1],
        bytes=sum(row.bytes for row in rows),
        bits_per_second=sum(row.bits_per_second for row in rows),
    )


def _sum_of_run(streams: list[Row]) -> Row:
    """The sum of streams over the whole run, which lasts as long as its longest stream.

    A row gives its end to 0.1 s only; bytes and rate give the duration more exactly.
    """
    size = sum(row.bytes for row in streams)
    lasted = max(
        8 * row.bytes / row.bits_per_second if row.bits_per_second else row.end for row in streams
    )
    last = max(streams, key=lambda row: row.line)
    return replace(last, bytes=size, bits_per_second=round(8 * size / lasted))


def wholes_of(file: str, rows: list[Row]) -> tuple[Row, list[Row]]:
    """The row of the whole run for all streams together, and the row of each stream.

    A sum that iperf left out is made from the rows of the streams; a single stream is its own sum.
    Raises LogError if no stream has such a row.
    """
    wholes = {row.stream: row for row in rows if row.of_run}
    streams = [row for stream, row in wholes.items() if stream != SUM]
    if not streams:
        raise LogError(file, len(rows), "no row of a whole run", "one for every stream")
    return wholes.get(SUM) or _sum_of_run(streams), streams

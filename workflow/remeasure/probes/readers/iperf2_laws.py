"""What must hold between the rows of one run of iperf 2.

iperf adds up what streams report, and prints the sum (stream -1) when it has heard of all of them.
A stream that is ahead may report its next second before that, so a sum is of all bytes that were
reported since the sum before it, whatever second its row names. A stream reports the last part of
its run with its whole run, if it has no row of its own.
"""

from collections import Counter, defaultdict

from remeasure.probes.base import LogError
from remeasure.probes.readers.iperf2_rows import SUM, Row
from remeasure.probes.readers.printed import agree

_ENDS_S = 0.1
"""time by which an interval may differ from its two ends, each rounded to 0.1 s [s]"""


def check_rows(file: str, rows: list[Row]) -> None:
    """Raises LogError if rows contradict each other."""
    seen: dict[tuple[int, float, float], int] = {}
    for row in rows:
        first = seen.setdefault((row.stream, row.begin, row.end), row.line)
        if first != row.line:
            raise LogError(file, row.line, _named(row), f"each interval once, as in line {first}")
        _check_rate(file, row)
    streams = {row.stream for row in rows}
    if len(streams - {SUM}) > 1:
        _check_sums(file, rows)
    for stream in streams:
        _check_parts(file, [row for row in rows if row.stream == stream])


def _named(row: Row) -> str:
    name = "the sum" if row.stream == SUM else f"stream {row.stream}"
    return f"{name} from {row.begin:g} to {row.end:g} s: {row.bytes} bytes"


def _check_rate(file: str, row: Row) -> None:
    lasts = row.end - row.begin
    if lasts <= 0 or (row.bytes > 0) != (row.bits_per_second > 0):
        raise LogError(file, row.line, _named(row), "a time, and a rate where there are bytes")
    if row.bytes and not agree(8 * row.bytes / row.bits_per_second, lasts, _ENDS_S):
        found = f"{_named(row)}, {row.bits_per_second} bits/s"
        raise LogError(file, row.line, found, f"bytes in {lasts:.1f} s at the rate of the row")


def _check_parts(file: str, rows: list[Row]) -> None:
    """Rows of one stream follow each other without gaps, and have no more than its whole run."""
    wholes = [row for row in rows if row.of_run]
    if len(wholes) > 1:
        raise LogError(file, wholes[1].line, _named(wholes[1]), "one row of the whole run")
    parts = sorted((row for row in rows if not row.of_run), key=lambda row: row.begin)
    end = 0.0
    for part in parts:
        # Where iperf leaves out the sum of a second, the next sum begins there.
        if part.begin < end or (part.begin != end and part.stream != SUM):
            raise LogError(file, part.line, _named(part), f"an interval from {end:g} s")
        end = part.end
    size = sum(part.bytes for part in parts)
    if wholes and size > wholes[0].bytes:
        raise LogError(file, wholes[0].line, _named(wholes[0]), f"{size}, the bytes of its parts")


def _check_sums(file: str, rows: list[Row]) -> None:
    """A sum has the bytes that streams reported since the sum before it, or the bytes of
    its own interval."""
    parts: Counter[int] = Counter()
    within: dict[tuple[float, float], int] = defaultdict(int)
    for row in rows:
        if row.stream != SUM:
            within[row.begin, row.end] += row.bytes
    reported = whole = 0
    for row in rows:
        if row.stream != SUM:
            rest = row.bytes - parts[row.stream] if row.of_run else row.bytes
            parts[row.stream] += rest
            reported, whole = reported + rest, whole + rest
            continue
        expected = whole if row.of_run else reported
        if row.bytes not in (expected, within[row.begin, row.end]):
            raise LogError(file, row.line, _named(row), f"{expected}, the bytes of its streams")
        reported = 0

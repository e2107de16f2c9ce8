"""The report of a TCP run of iperf3 in plain text, one stream, rates in Mbit/s (`--format m`).

iperf3 prints bytes and rates with three digits and times with two behind the point, so a rate is
exact to half a unit of each.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.metrics import Value
from remeasure.bench.probes.readers.printed import unit

_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_ROW = re.compile(
    r"\[ *[0-9]+\] +([0-9]+\.[0-9]{2})-([0-9]+\.[0-9]{2}) +sec +"
    rf"{_NUMBER} ([KMG]?)Bytes +{_NUMBER} Mbits/sec *([0-9]*)"
    rf"(?: +{_NUMBER} [KMG]?Bytes| +(sender|receiver))? *"
)
_NOISE = re.compile(
    r"|Connecting to host \S+, port [0-9]+|\[ *[0-9]+\] local \S+ port [0-9]+ connected to \S+ "
    r"port [0-9]+|\[ ID\] Interval +Transfer +Bitrate( +Retr( +Cwnd)?)? *|(- )+-|iperf Done\."
)
_SCALE = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


class _Row(NamedTuple):
    """One line: an interval, or the whole run at one end."""

    line: int
    begin: float
    end: float
    """[s]"""
    bits: tuple[float, float]
    """the fewest and the most that arrived or were sent [bit]"""
    rate: float
    """[Mbit/s]"""
    resent: int | None
    end_of: str
    """sender, receiver; empty: an interval"""


def read_report(file: str, lines: list[str]) -> Iterable[Value]:
    """Yield goodput and retransmits. Raises LogError."""
    rows = []
    for number, line in enumerate(lines, 1):
        if match := _ROW.fullmatch(line):
            rows.append(_row(file, number, match))
        elif not _NOISE.fullmatch(line):
            raise LogError(file, number, line, "a line of iperf3")
    ends = [row.end_of for row in rows if row.end_of]
    if ends != ["sender", "receiver"]:
        raise LogError(file, 1, f"lines of {ends}", "one of sender and of receiver")
    *intervals, sender, receiver = rows
    _check(file, intervals, sender, receiver)
    if sender.resent is not None:
        yield Value("retransmits", sender.resent, sender.line)
    yield Value("goodput", receiver.rate, receiver.line)


def _row(file: str, number: int, match: re.Match[str]) -> _Row:
    begin, end, size, scale, rate, resent, _, end_of = match.groups()
    lasts, step = float(end) - float(begin), unit(size) / 2
    if lasts <= 0:
        raise LogError(file, number, match[0], "an interval that lasts")
    factor = 8 * _SCALE[scale]
    bits = factor * (float(size) - step), factor * (float(size) + step)
    least, most = bits[0] / (lasts + unit(end)), bits[1] / max(lasts - unit(end), 1e-3)
    wide = unit(rate) / 2
    if not least / 1e6 - wide <= float(rate) <= most / 1e6 + wide:
        expected = f"{least / 1e6:.3g} to {most / 1e6:.3g} Mbits/sec, from bytes and seconds"
        raise LogError(file, number, match[0].strip(), expected)
    count = int(resent) if resent else None
    return _Row(number, float(begin), float(end), bits, float(rate), count, end_of or "")


def _check(file: str, intervals: list[_Row], sender: _Row, receiver: _Row) -> None:
    """Raises LogError if the rows of both ends contradict each other or the intervals."""
    time = 0.0
    for row in intervals:
        if row.begin != time:
            raise LogError(file, row.line, f"an interval from {row.begin} s", f"one from {time} s")
        time = row.end
    if sender.begin or receiver.begin or (sender.end != time and intervals):
        found = f"{sender.begin} to {sender.end} s"
        raise LogError(file, sender.line, found, f"0 to {time} s, as the intervals")
    if receiver.bits[0] > sender.bits[1]:
        raise LogError(file, receiver.line, "more received than sent", "no more than was sent")
    resent = sum(row.resent or 0 for row in intervals)
    if sender.resent is not None and sender.resent != resent:
        found = f"{sender.resent} segments sent again"
        raise LogError(file, sender.line, found, f"{resent}, the sum of the intervals")
    least, most = (sum(row.bits[way] for row in intervals) for way in (0, 1))
    if not (sender.bits[1] >= least and sender.bits[0] <= most + _REST_BITS):
        found = f"{sender.bits[0] / 8:.0f} to {sender.bits[1] / 8:.0f} bytes sent"
        expected = f"{least / 8:.0f} to {most / 8:.0f}, the sum of the intervals"
        raise LogError(file, sender.line, found, expected)


_REST_BITS = 8 * 64 * 131072
"""what a sender may have written behind its last interval, at most: 64 blocks [bit]"""

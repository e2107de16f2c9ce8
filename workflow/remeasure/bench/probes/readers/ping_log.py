"""Reading what ping(8) of iputils prints (`-n -D -O`), and checking its lines against its summary.

Of a run this must hold: every answer comes from the address and has the size that the first line
names; numbers are from 1 to the requests sent, each once unless the line says DUP; received, loss
and the statistics of the round trips follow from the lines, as exactly as both are printed.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.readers.printed import agree, ordered, unit

LARGEST_SEQUENCE = 2**16 - 1
"""the largest number that a request can have (RFC 792)"""
_ADDRESS = "[0-9a-f.:]+"
# Of IPv6 ping does not print the size with headers.
_HEAD = re.compile(
    rf"PING (\S+) ?\(({_ADDRESS})\)(?: from {_ADDRESS} \S*:)? "
    r"([0-9]+)(?:\([0-9]+\) bytes of data\.| data bytes)"
)
_STAMP = r"\[[0-9]+\.[0-9]+\]"
_REPLY = re.compile(
    rf"{_STAMP} ([0-9]+) bytes from ({_ADDRESS}): icmp_seq=([0-9]+) ttl=([0-9]+) "
    r"time=([0-9]+(?:\.[0-9]+)?) ms( \(DUP!\))?"
)
_NO_ANSWER_YET = re.compile(rf"{_STAMP} no answer yet for icmp_seq=([0-9]+)")
_UNREACHABLE = re.compile(
    rf"{_STAMP} From {_ADDRESS} icmp_seq=([0-9]+) (?:[A-Za-z][\w ]+|Packet too big: mtu=[0-9]+)",
    re.ASCII,
)
_RULE = re.compile(r"--- (\S+) ping statistics ---")
_TOTAL = re.compile(
    r"([0-9]+) packets transmitted, ([0-9]+) received, ((?:\+[0-9]+ [a-z]+, )*)"
    r"([0-9]+(?:\.[0-9]+)?)% packet loss, time [0-9]+ms"
)
_DUPLICATES = re.compile(r"\+([0-9]+) duplicates, ")
_NUMBER = r"([0-9]+\.[0-9]{3})"
_STATISTICS = re.compile(
    rf"rtt min/avg/max/mdev = {_NUMBER}/{_NUMBER}/{_NUMBER}/{_NUMBER} ms"
    r"(?:, pipe [0-9]+)?(?:, ipg/ewma [0-9.]+/[0-9.]+ ms)?"
)
_INTEGER_SQUARES = 2
"""older versions square a mean in whole microseconds, so their mdev**2 is too large by at most so
many means [us]"""


class Reply(NamedTuple):
    """One answer."""

    sequence: int
    ms: float
    """round trip [ms]"""
    unit: float
    """unit of its last digit [ms]"""
    line: int
    sent: float
    """time at which the request left [s since the epoch]"""


@dataclass
class PingLog:
    """What one run of ping printed."""

    file: str
    replies: dict[int, Reply] = field(default_factory=dict)
    """number of the request -> its first answer"""
    repeated: list[Reply] = field(default_factory=list)
    """further answers, which the log marks as DUP"""
    others: dict[int, int] = field(default_factory=dict)
    """number of a request that a line without an answer names -> that line"""
    sent: int = 0
    received: int = 0
    line: int = 0
    """line of the summary; 0 before it"""

    def wrong(self, line: int, found: str, expected: str) -> LogError:
        return LogError(self.file, line, found, expected)


def read_ping(file: str, lines: list[str]) -> PingLog:
    """Read a log. Raises LogError for a line of another form, and for lines that contradict each
    other."""
    log = PingLog(file)
    head = _HEAD.fullmatch(lines[0])
    if not head:
        raise log.wrong(1, lines[0], "the first line of ping")
    rows = iter(enumerate(lines[1:], 2))
    for number, line in rows:
        if rule := _RULE.fullmatch(line):
            if rule[1] != head[1]:
                raise log.wrong(number, line, f"the statistics of {head[1]}, as in line 1")
            _read_summary(log, rows, lines)
            return log
        _read_line(log, number, line, head)
    raise log.wrong(len(lines), lines[-1], "the summary of ping (is the file cut?)")


def _read_line(log: PingLog, number: int, line: str, head: re.Match[str]) -> None:
    if match := _REPLY.fullmatch(line):
        _take_reply(log, number, match, head)
    elif match := _NO_ANSWER_YET.fullmatch(line) or _UNREACHABLE.fullmatch(line):
        sequence = int(match[1])
        if sequence in log.replies and "no answer yet" in line:
            raise log.wrong(number, line, f"no answer to it in line {log.replies[sequence].line}")
        log.others[sequence] = number
    elif line:
        raise log.wrong(number, line, "a line of ping")


def _take_reply(log: PingLog, number: int, match: re.Match[str], head: re.Match[str]) -> None:
    ms, arrived = float(match[5]), float(match[0][1:].partition("]")[0])
    reply = Reply(int(match[3]), ms, unit(match[5]), number, arrived - ms / 1e3)
    if match[2] != head[2]:
        raise log.wrong(number, match[0], f"an answer of {head[2]}, as in line 1")
    if int(match[1]) != int(head[3]) + 8:
        raise log.wrong(
            number, match[0], f"{int(head[3]) + 8} bytes: those of line 1 and a header of 8"
        )
    if not 1 <= int(match[4]) <= 255:
        raise log.wrong(number, match[0], "a ttl from 1 to 255")
    if bool(match[6]) != (reply.sequence in log.replies):
        times = "answered before" if match[6] else "not answered before, or DUP"
        raise log.wrong(number, match[0], f"a request {times}")
    if match[6]:
        log.repeated.append(reply)
    else:
        log.replies[reply.sequence] = reply


def _read_summary(log: PingLog, rows: Iterator[tuple[int, str]], lines: list[str]) -> None:
    """Read the lines behind the rule, and compare them with those before it."""
    number, line = next(rows, (len(lines), lines[-1]))
    total = _TOTAL.fullmatch(line)
    if not total:
        raise log.wrong(number, line, "the summary of ping (is the file cut?)")
    log.line, log.sent, log.received = number, int(total[1]), int(total[2])
    _check_total(log, total)
    statistics: re.Match[str] | None = None
    for number, line in rows:
        match = _STATISTICS.fullmatch(line)
        if line and (statistics or not match):
            raise log.wrong(number, line, "the statistics of ping, then its end")
        if match:
            statistics = match
            _check_statistics(log, number, match)
    if log.replies and not statistics:
        raise log.wrong(log.line, total[0], "statistics behind it (is the file cut?)")


def _check_total(log: PingLog, total: re.Match[str]) -> None:
    if log.received != len(log.replies):
        found, expected = (
            f"{log.received} received",
            f"{len(log.replies)}, the number of replies above",
        )
        raise log.wrong(log.line, found, expected)
    if not 1 <= log.sent <= LARGEST_SEQUENCE:
        raise log.wrong(log.line, f"{log.sent} transmitted", f"1 to {LARGEST_SEQUENCE}")
    named = {sequence: reply.line for sequence, reply in log.replies.items()} | log.others
    for sequence, line in named.items():
        if not 1 <= sequence <= log.sent:
            found, expected = f"request {sequence}", f"1 to {log.sent}, the requests transmitted"
            raise log.wrong(line, found, expected)
    duplicates = _DUPLICATES.search(total[3])
    if int(duplicates[1] if duplicates else 0) != len(log.repeated):
        raise log.wrong(log.line, total[0], f"{len(log.repeated)} duplicates, as marked above")
    loss = 100 * (log.sent - log.received) / log.sent
    # Older versions cut off what is behind the point.
    printed = float(total[4]) if "." in total[4] else float(total[4]) + loss % 1
    if not agree(printed, loss, unit(total[4]) / 2 if "." in total[4] else 0):
        raise log.wrong(log.line, f"{total[4]}% packet loss", f"{loss:g} %, from both counts")


def _check_statistics(log: PingLog, number: int, match: re.Match[str]) -> None:
    """Compare the statistics with the round trips, which are printed with three digits or more."""
    replies = [*log.replies.values(), *log.repeated]
    if not replies:
        raise log.wrong(number, match[0], "no statistics, as nothing was received")
    least, mean, most, deviation = map(float, match.groups())
    times, units = [reply.ms for reply in replies], [reply.unit for reply in replies]
    average, step = sum(times) / len(times), unit(match[1])
    spread = math.sqrt(sum((ms - average) ** 2 for ms in times) / len(times))
    # Numbers that are each wrong by less than their unit change a deviation by less than this.
    within = math.sqrt(sum(one * one for one in units) / len(units)) + step
    squares = math.hypot(spread + within, math.sqrt(_INTEGER_SQUARES * mean / 1e3))
    consistent = (
        ordered(least, mean, most)
        and ordered(_least(replies, -1), least, _least(replies, 1), within=step)
        and agree(mean, average, sum(units) / len(units) + step)
        and ordered(_most(replies, -1), most, _most(replies, 1), within=step)
        and spread - within <= deviation <= squares
    )
    if not consistent:
        computed = f"{min(times):.3f}/{average:.3f}/{max(times):.3f}/{spread:.3f} ms"
        raise log.wrong(number, match[0], f"about {computed}, from the lines above")


def _least(replies: list[Reply], units: int) -> float:
    """The least round trip, if each were so many units longer [ms]."""
    return min(reply.ms + units * reply.unit for reply in replies)


def _most(replies: list[Reply], units: int) -> float:
    """The greatest round trip, if each were so many units longer [ms]."""
    return max(reply.ms + units * reply.unit for reply in replies)

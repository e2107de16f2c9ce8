"""Reading the log of one flow of the program env/flow/flow.c: what the sender printed, then what
the receiver did. Times are in nanoseconds since the epoch; the first of `flow` is when it began.
Numbers count from 0.

    flow 1 send
    to 192.168.20.1 port 9400
    flow 1795716369459336780 bytes 200 rate 1000 planned 2000 dscp 46 every 10
    ended 1795716371458438097
    class 0 planned 1800 sent 1800 errors 0    errors: refused by the sender's own kernel
    class 1 planned 200 sent 200 errors 0      class 1: every 10th has the DSCP
    latest 2239194 number 418                  how late the worst datagram left [ns]
    error No buffer space available            the last error, if there was one
    end
    flow 1 receive
    port 9400 buffer 67108864 listening 1795716369257725839
    stopped 1795716372495694169 by signal      or: by silence
    strangers 0 overflow 0                     of no such flow; dropped by the socket
    flow ...                                   as above; or `flow none`, and the log ends
    class 0 planned 1800 received 1790 duplicates 0 marked 1790    marked: with the DSCP sent
    class 0 late 3 overtaken 5 behind 7           by numbers of the class; by all numbers; the most
    class 0 delay min 1029 median 1769 p99 3102 max 148007          [ns], if any arrived
    class 0 first 17957... last 17957... gap 3162971 from 17957...  longest time without an arrival
    class 0 missing 10 runs 2                     numbers that never arrived
    class 0 longest 30 count 6 due 17957... next 17957...           if any is missing
    class 0 run 3 count 4 due 17957... next 17957...                the first 100 of them
    class 0 run 30 count 6 due 17957... next none                none came after them
    class 0 unlisted 0 runs 0                     the others
    class 1 ...
    end
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from remeasure.bench.probes.base import LogError, text_lines

_N = "([0-9]+)"
_PARAMETERS = rf"flow {_N} bytes {_N} rate {_N} planned {_N} dscp {_N} every {_N}"
_RUN = rf"count {_N} due {_N} next (none|[0-9]+)"
_FORMS = {
    "sender": "flow 1 send",
    "to": rf"to (\S+) port {_N}",
    "parameters": _PARAMETERS,
    "ended": rf"ended {_N}",
    "sent": rf"class ([01]) planned {_N} sent {_N} errors {_N}",
    "latest": rf"latest {_N} number {_N}",
    "error": r"error (\S.*)",
    "end": "end",
    "receiver": "flow 1 receive",
    "port": rf"port {_N} buffer {_N} listening {_N}",
    "stopped": rf"stopped {_N} by (signal|silence)",
    "strangers": rf"strangers {_N} overflow {_N}",
    "none": "flow none",
    "received": rf"class ([01]) planned {_N} received {_N} duplicates {_N} marked {_N}",
    "order": rf"class ([01]) late {_N} overtaken {_N} behind {_N}",
    "delay": r"class ([01]) delay min (-?[0-9]+) median (-?[0-9]+) p99 (-?[0-9]+) max (-?[0-9]+)",
    "times": rf"class ([01]) first {_N} last {_N} gap {_N} from {_N}",
    "missing": rf"class ([01]) missing {_N} runs {_N}",
    "longest": rf"class ([01]) longest {_N} {_RUN}",
    "run": rf"class ([01]) run {_N} {_RUN}",
    "unlisted": rf"class ([01]) unlisted {_N} runs {_N}",
}
"""name of a line -> its form"""
_COMPILED = {name: re.compile(form, re.ASCII) for name, form in _FORMS.items()}


@dataclass(frozen=True)
class Run:
    """Numbers of a class, one after the other, of which none arrived."""

    line: int
    first: int
    count: int
    due: int
    """when the first was due to be sent [ns since the epoch]"""
    next: int | None
    """when the number behind them arrived [ns since the epoch]; None: they are the last"""


@dataclass(frozen=True)
class Arrivals:
    """What arrived of one class."""

    line: int
    received: int
    duplicates: int
    marked: int
    late: int
    overtaken: int
    behind: int
    delay_line: int
    delays: tuple[int, ...]
    """least, median, 99th percentile, greatest [ns]; empty if nothing arrived"""
    times: tuple[int, ...]
    """first and last arrival, longest gap, its begin [ns]; empty if nothing arrived"""
    missing_line: int
    missing: int
    runs: int
    longest: Run | None
    listed: tuple[Run, ...]
    unlisted: tuple[int, ...]
    """numbers that are missing in runs that are not listed, and these runs"""


@dataclass(frozen=True)
class FlowLog:
    """One flow, by both ends."""

    begin: int
    """when the flow began [ns since the epoch]"""
    rate: int
    """[datagrams/s]"""
    planned: int
    """[datagrams]"""
    sent: tuple[tuple[int, ...], tuple[int, ...]]
    """of each class: planned, sent, errors [datagrams]"""
    late_ns: int
    """how late the worst datagram left [ns]"""
    strangers: int
    overflow: int
    classes: tuple[Arrivals, ...]
    """what arrived of each class; empty if nothing did"""
    lines: Mapping[str, int]
    """name of a line -> number of the first such line"""


class _Lines:
    """The lines of a log, in order."""

    def __init__(self, file: str, content: bytes):
        self._file, self._lines = file, text_lines(file, content)
        self.line = 0
        """number of the line that was taken last"""
        self.places: dict[str, int] = {}

    def take(self, name: str) -> tuple[str, ...]:
        """What the next line has, which must be of this form. Raises LogError."""
        found = self.perhaps(name)
        if found is None:
            raise self.refused(f"line {name!r}: {_FORMS[name]}")
        return found

    def perhaps(self, name: str) -> tuple[str, ...] | None:
        """What the next line has, if it is of this form."""
        here = self._lines[self.line : self.line + 1]
        match = _COMPILED[name].fullmatch(here[0]) if here else None
        if match is None:
            return None
        self.line += 1
        self.places.setdefault(name, self.line)
        return match.groups()

    def of_class(self, name: str, number: int) -> tuple[int, ...]:
        """The numbers of the next line, which must be of a class. Raises LogError."""
        found, *rest = map(int, self.take(name))
        if found != number:
            self.line -= 1
            raise self.refused(f"a line of class {number}")
        return tuple(rest)

    def run_of(self, name: str, number: int) -> Run | None:
        """The run of a class in the next line, if that is of this form. Raises LogError."""
        found = self.perhaps(name)
        if found is None:
            return None
        of, first, count, due, behind = found
        if int(of) != number:
            self.line -= 1
            raise self.refused(f"a line of class {number}")
        following = None if behind == "none" else int(behind)
        return Run(self.line, int(first), int(count), int(due), following)

    def refused(self, expected: str) -> LogError:
        over = self.line == len(self._lines)
        found = "the end of the file" if over else self._lines[self.line]
        return LogError(self._file, self.line + 1, found, expected)

    def finish(self) -> None:
        if self.line != len(self._lines):
            raise self.refused("the end of the log")


def read_flow(file: str, content: bytes) -> FlowLog:
    """Read a log of one flow. Raises LogError; also if more arrived than was sent."""
    lines = _Lines(file, content)
    lines.take("sender")
    lines.take("to")
    begin, _, rate, planned, _, _ = map(int, lines.take("parameters"))
    lines.take("ended")
    sent = (lines.of_class("sent", 0), lines.of_class("sent", 1))
    late_ns = int(lines.take("latest")[0])
    lines.perhaps("error")
    for name in ("end", "receiver", "port", "stopped"):
        lines.take(name)
    strangers, overflow = map(int, lines.take("strangers"))
    classes: tuple[Arrivals, ...] = ()
    if lines.perhaps("none") is None:
        lines.take("parameters")
        classes = (_arrivals(lines, 0), _arrivals(lines, 1))
    lines.take("end")
    lines.finish()
    for (_, count, _), arrived in zip(sent, classes, strict=False):
        if arrived.received > count:
            found = f"received {arrived.received}"
            raise LogError(file, arrived.line, found, f"at most the {count} sent")
    places = lines.places
    return FlowLog(begin, rate, planned, sent, late_ns, strangers, overflow, classes, places)


def _arrivals(lines: _Lines, number: int) -> Arrivals:
    _, received, duplicates, marked = lines.of_class("received", number)
    line = lines.line
    late, overtaken, behind = lines.of_class("order", number)
    delays = lines.of_class("delay", number) if received else ()
    delay_line = lines.line
    times = lines.of_class("times", number) if received else ()
    missing, runs = lines.of_class("missing", number)
    missing_line = lines.line
    longest = lines.run_of("longest", number) if missing else None
    listed = tuple(iter(lambda: lines.run_of("run", number), None))
    unlisted = lines.of_class("unlisted", number)
    return Arrivals(
        line,
        received,
        duplicates,
        marked,
        late,
        overtaken,
        behind,
        delay_line,
        delays,
        times,
        missing_line,
        missing,
        runs,
        longest,
        listed,
        unlisted,
    )

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
from dataclasses import dataclass, field
from typing import NamedTuple

from remeasure.bench.probes.base import LogError, text_lines

_N = "([0-9]+)"
_D = "(-?[0-9]+)"
_RUN = rf"{_N} count {_N} due {_N} next (none|[0-9]+)"
_FORMS = {
    "sender": "flow 1 send",
    "to": rf"to \S+ port {_N}",
    "parameters": rf"flow {_N} bytes {_N} rate {_N} planned {_N} dscp {_N} every {_N}",
    "ended": rf"ended {_N}",
    "sent": rf"planned {_N} sent {_N} errors {_N}",
    "latest": rf"latest {_N} number {_N}",
    "error": r"error \S.*",
    "end": "end",
    "receiver": "flow 1 receive",
    "port": rf"port {_N} buffer {_N} listening {_N}",
    "stopped": rf"stopped {_N} by (?:signal|silence)",
    "strangers": rf"strangers {_N} overflow {_N}",
    "none": "flow none",
    "received": rf"planned {_N} received {_N} duplicates {_N} marked {_N}",
    "order": rf"late {_N} overtaken {_N} behind {_N}",
    "delay": rf"delay min {_D} median {_D} p99 {_D} max {_D}",
    "times": rf"first {_N} last {_N} gap {_N} from {_N}",
    "missing": rf"missing {_N} runs {_N}",
    "longest": rf"longest {_RUN}",
    "run": rf"run {_RUN}",
    "unlisted": rf"unlisted {_N} runs {_N}",
}
"""name of a line -> its form, without its class"""
_COMPILED = {name: re.compile(form, re.ASCII) for name, form in _FORMS.items()}
_CLASS = re.compile("class ([01]) ")
_ARRIVED = (
    "received{0} order{0} (delay{0} times{0} )?missing{0} (longest{0} )?(run{0} )*unlisted{0}"
)
_ORDER = re.compile(
    "sender to parameters ended sent0 sent1 latest (error )?end receiver port stopped strangers "
    f"(none|parameters {_ARRIVED.format(0)} {_ARRIVED.format(1)}) end"
)
"""names of the lines of a log, with their classes"""


class Line(NamedTuple):
    """A line of a log."""

    number: int
    values: tuple[int, ...]
    """its numbers, without the class"""


class Run(NamedTuple):
    """Numbers of a class, one after the other, of which none arrived."""

    line: int
    first: int
    length: int
    due: int
    """when the first was due to be sent [ns since the epoch]"""
    next: int | None = None
    """when the number behind them arrived [ns since the epoch]; None: they are the last"""


@dataclass(frozen=True)
class FlowLog:
    """One flow, by both ends."""

    lines: dict[str, Line] = field(default_factory=dict)
    """name of a line, with its class -> the first such line"""
    runs: dict[str, list[Run]] = field(default_factory=lambda: {"0": [], "1": []})
    """class -> its runs that are listed"""

    @property
    def begin(self) -> int:
        """When the flow began [ns since the epoch]."""
        return self.lines["parameters"].values[0]


def read_flow(file: str, content: bytes) -> FlowLog:
    """Read a log of one flow. Raises LogError; also if more arrived than was sent."""
    log, names, lines = FlowLog(), list[str](), text_lines(file, content)
    for number, line in enumerate(lines, 1):
        of = _CLASS.match(line)
        kind, text = (of[1], line[of.end() :]) if of else ("", line)
        matches = ((name, form.fullmatch(text)) for name, form in _COMPILED.items())
        name, match = next((found for found in matches if found[1]), ("", None))
        if match is None:
            raise LogError(file, number, line, "a line of the log of a flow")
        names.append(name + kind)
        values = tuple(int(one) for one in match.groups() if one != "none")
        log.lines.setdefault(names[-1], Line(number, values))
        if names[-1] in ("run0", "run1"):
            log.runs[kind].append(Run(number, *values))
    if not _ORDER.fullmatch(" ".join(names)):
        raise LogError(file, len(lines), lines[-1], "all lines of one flow, in order, and its end")
    for kind in log.runs:
        sent, arrived = log.lines[f"sent{kind}"].values[1], log.lines.get(f"received{kind}")
        if arrived and arrived.values[1] > sent:
            found = f"received {arrived.values[1]}"
            raise LogError(file, arrived.number, found, f"at most the {sent} sent")
    return log

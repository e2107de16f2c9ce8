"""Reading the log of one flow of the program env/programs/flow.c: output of the sender, then of the
receiver. Times are in nanoseconds since the epoch; the first of `flow` is when it began. Numbers
count from 0.

    flow 1 send
    to 192.168.20.1 port 9400
    burst 64                                   if so many leave together
    flow 1795716369459336780 bytes 200 rate 1000 planned 2000 dscp 46 every 10
                                               or: rate 0.5 first 330 fast 10 planned ...
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
    class 0 beyond 32 5 64 0 ... 8129 0        so many numbers behind, or more; none in older logs
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
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

from remeasure.bench.base.files import read_yaml
from remeasure.bench.probes.base import LogError, text_lines
from remeasure.bench.probes.metrics import Value

_N = "([0-9]+)"
_D = "(-?[0-9]+)"
_R = f"{_N}(?:[.][0-9]+)?(?: first [0-9]+ fast [0-9.]+)?"
_RUN = rf"{_N} count {_N} due {_N} next (none|[0-9]+)"
_FORMS = {
    "sender": "flow 1 send",
    "to": rf"to \S+ port {_N}",
    "burst": rf"burst {_N}",
    "parameters": rf"flow {_N} bytes {_N} rate {_R} planned {_N} dscp {_N} every {_N}",
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
    "beyond": rf"beyond{f' {_N}' * 16}",
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
    "received{0} order{0} (beyond{0} )?(delay{0} times{0} )?missing{0} (longest{0} )?(run{0} )*"
    "unlisted{0}"
)
_ORDER = re.compile(
    "sender to (burst )?parameters ended sent0 sent1 latest (error )?end receiver port stopped "
    f"strangers (none|parameters {_ARRIVED.format(0)} {_ARRIVED.format(1)}) end"
)
"""names of the lines of a log, with their classes"""


class Line(NamedTuple):
    """A line of a log."""

    number: int
    values: tuple[int, ...]
    """its numbers, without the class"""


class FlowLog(NamedTuple):
    """One flow, by both ends."""

    lines: dict[str, Line]
    """name of a line, with its class -> its first line"""
    runs: dict[str, list[Line]]
    """class -> the lines of its runs: first number and length, when the first was due to be sent
    and, unless they are the last, when the number behind them arrived [ns since the epoch]"""

    @property
    def begin(self) -> int:
        """When the flow began [ns since the epoch]."""
        return self.lines["parameters"].values[0]


def read_flow(file: str, content: bytes) -> FlowLog:
    """Read a log of one flow. Raises LogError; also if more arrived than was sent."""
    log, names = FlowLog({}, {"0": [], "1": []}), list[str]()
    lines = text_lines(file, content)
    for number, line in enumerate(lines, 1):
        of = _CLASS.match(line)
        kind, text = (of[1], line[of.end() :]) if of else ("", line)
        matches = ((name, form.fullmatch(text)) for name, form in _COMPILED.items())
        name, match = next((found for found in matches if found[1]), ("", None))
        if match is None:
            raise LogError(file, number, line, "a line of the log of a flow")
        names.append(name + kind)
        found = Line(number, tuple(int(one) for one in match.groups() if one != "none"))
        log.lines.setdefault(names[-1], found)
        if name == "run":
            log.runs[kind].append(found)
    if not _ORDER.fullmatch(" ".join(names)):
        raise LogError(file, len(lines), lines[-1], "all lines of one flow, in order, and its end")
    for kind in log.runs:
        sent, arrived = log.lines[f"sent{kind}"].values[1], log.lines.get(f"received{kind}")
        if arrived and arrived.values[1] > sent:
            received = f"received {arrived.values[1]}"
            raise LogError(file, arrived.number, received, f"at most the {sent} sent")
    return log


CLASSES = ("bulk", "favoured")
"""names of the classes of a flow, by their number"""
_DELAYS = ("min", "median", "p99", "max")
_KNOWN = cast(dict[str, dict[str, str]], read_yaml(Path(__file__).with_name("flow-metrics.yaml")))
METRICS = {
    **{f"{{direction}}_{{class}}_{name}": says for name, says in _KNOWN["of_class"].items()},
    **_KNOWN["of_flow"],
}
"""possible metrics in the log of a flow, for any probe that runs one"""
BEYOND = _KNOWN["beyond"]


def direction_of(file: str) -> str:
    """'calls-01.up.log' -> 'up'."""
    return "down" if file.endswith(".down.log") else "up"


def read_values(file: str, content: bytes) -> Iterator[Value]:
    """Yield the values in the log of a flow, whose name ends in `.up.log` or `.down.log`. Raises
    LogError."""
    log, direction = read_flow(file, content), direction_of(file)
    late, strangers = log.lines["latest"], log.lines["strangers"]
    yield Value(f"{direction}_latest", late.values[0] / 1e6, late.number)
    yield Value(f"{direction}_overflow", strangers.values[1], strangers.number)
    yield Value(f"{direction}_strangers", strangers.values[0], strangers.number)
    for kind, name in enumerate(CLASSES):
        line, (planned, sent, errors) = log.lines[f"sent{kind}"]
        if planned:
            yield Value(f"{direction}_{name}_sent", sent, line)
            yield Value(f"{direction}_{name}_unsent", errors, line)
            for value in _arrivals(log, str(kind), sent):
                yield value._replace(metric=f"{direction}_{name}_{value.metric}")


def read_beyond(file: str, content: bytes) -> Iterator[Value]:
    """Yield how many datagrams were a window or more behind, of each class and window; none of
    older logs. Raises LogError."""
    log = read_flow(file, content)
    for kind, name in enumerate(CLASSES):
        line, beyond = log.lines.get(f"beyond{kind}", Line(0, ()))
        for window, behind in zip(beyond[::2], beyond[1::2], strict=True):
            yield Value(f"{direction_of(file)}_{name}_beyond", behind, line, window)


def _arrivals(log: FlowLog, kind: str, sent: int) -> Iterator[Value]:
    """Arrivals of a class; metrics without direction and class."""
    arrived = log.lines.get(f"received{kind}")
    line, (_, received, duplicates, _) = arrived or (log.lines["none"].number, (0, 0, 0, 0))
    yield Value("received", received, line)
    yield Value("lost", sent - received, line)
    if sent:
        yield Value("loss", 100 * (sent - received) / sent, line)
    if arrived is None:
        return
    yield Value("duplicates", duplicates, line)
    line, values = log.lines[f"order{kind}"]
    for metric, value in zip(("late", "overtaken", "behind"), values, strict=True):
        yield Value(metric, value, line)
    if f"delay{kind}" in log.lines:
        line, delays = log.lines[f"delay{kind}"]
        for which, delay in zip(_DELAYS, delays, strict=True):
            yield Value(f"delay_{which}", delay / 1e6, line)
        line, (_, _, gap, start) = log.lines[f"times{kind}"]
        yield Value("gap", gap / 1e6, line)
        yield Value("gap_begin", (start - log.begin) / 1e6, line)
    line, (_, runs) = log.lines[f"missing{kind}"]
    yield Value("lost_runs", runs, line)
    line, (_, longest, *_) = log.lines.get(f"longest{kind}", Line(line, (0, 0)))
    yield Value("longest_run", longest, line)
    for line, (first, length, *times) in log.runs[kind]:
        yield Value("run_length", length, line, first)
        for metric, time in zip(("run_due", "run_next"), times, strict=False):
            yield Value(metric, (time - log.begin) / 1e6, line, first)

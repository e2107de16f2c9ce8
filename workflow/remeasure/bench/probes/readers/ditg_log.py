"""What ITGDec of D-ITG prints of a flow (`-v`), and the series of intervals that it writes (`-c`).

A name of a log may have a window of time before its suffix, as in `flow-01.500-3000ms.series.txt`.
The goodput of the flow then covers the window: the mean of the intervals that begin in it. It is in
the series alone.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from remeasure.bench.probes.base import LogError
from remeasure.bench.probes.metrics import Value

INTERVAL_MS = 100
"""length of an interval of the series [ms]"""
_NUMBER = r"(-?[0-9]+(?:\.[0-9]+)?)"


class _Form(NamedTuple):
    """One line of a summary."""

    pattern: re.Pattern[str]
    expected: str
    """what it is, for people"""


def _form(pattern: str, expected: str) -> _Form:
    return _Form(re.compile(pattern, re.ASCII), expected)


def _value(name: str, unit: str = "") -> _Form:
    return _form(rf"{name} += +{_NUMBER}{unit}", f"'{name} = <number>{unit}'")


_DASHES = _form("-{20,}", "a line of dashes")
_RULE = _form("_{20,}", "a line of underscores")
_VALUES = [
    _value("Total time", " s"),
    _value("Total packets"),
    _value("Minimum delay", " s"),
    _value("Maximum delay", " s"),
    _value("Average delay", " s"),
    _value("Average jitter", " s"),
    _value("Delay standard deviation", " s"),
    _value("Bytes received"),
    _value("Average bitrate", " Kbit/s"),
    _value("Average packet rate", " pkt/s"),
    _form(
        rf"Packets dropped += +{_NUMBER} \({_NUMBER} %\)",
        "'Packets dropped = <number> (<number> %)'",
    ),
    _value("Average loss-burst size", " pkt"),
]
_SUMMARY = [
    _form(r"ITGDec version 2\.8\.[0-9]+ \(r[0-9]+\)", "'ITGDec version 2.8.<n> (r<n>)'"),
    _form(r"Compile-time options: [\w ]+", "'Compile-time options: <words>'"),
    _DASHES,
    _form("Flow number: [0-9]+", "'Flow number: <n>'"),
    _form(r"From \S+:[0-9]+", "'From <address>:<port>'"),
    _form(r"To +\S+:[0-9]+", "'To <address>:<port>'"),
    _DASHES,
    *_VALUES,
    _DASHES,
    _form("", "an empty line behind the flow, as a log is of one flow"),
    _RULE,
    _form(r"\*+  TOTAL RESULTS   \*+", "'TOTAL RESULTS' between stars"),
    _RULE,
    _form("Number of flows += +1", "'Number of flows = 1'"),
    *_VALUES,
    _value("Error lines"),
    _DASHES,
]
"""the lines of a summary of one flow, in order"""
_FLOW = 7
"""index of the first value of the flow"""
_DELAYS = slice(_FLOW + 2, _FLOW + 7)
"""the lines about delays"""
_SENDERS = "delays that are not all exactly 0 (is it the sender's log?)"
_TOTALS = 25
"""index of the first value of the total results"""
_WINDOW = re.compile(r"\.([0-9]+)-([0-9]+)ms(?:\.series)?\.txt$")
"""in the name of a log: the time that goodput is of, since the first packet arrived [ms]"""
_SERIES_LINE = re.compile(" ".join([r"([0-9]+\.[0-9]+)"] + [_NUMBER] * 4))


def read_log(file: str, lines: list[str]) -> Iterable[Value]:
    """Yield the values of a series (`.series.txt`) or a summary. Raises LogError."""
    window = _WINDOW.search(file)
    if file.endswith(".series.txt"):
        values = _read_series(file, lines)
        return _with_goodput(file, values, *map(int, window.groups())) if window else values
    values = _read_summary(file, lines)
    return (v for v in values if v.metric != "goodput") if window else values


def _read_summary(file: str, lines: list[str]) -> Iterable[Value]:
    matches = []
    for number, line in enumerate(lines, 1):
        if number > len(_SUMMARY):
            raise LogError(file, number, line, "the end of a summary of one flow")
        form = _SUMMARY[number - 1]
        match = form.pattern.fullmatch(line.strip())
        if not match:
            raise LogError(file, number, line, f"{form.expected} (ITGDec)")
        matches.append(match)
    if len(lines) < len(_SUMMARY):
        raise LogError(file, len(lines), lines[-1], "the rest of a summary (is the file cut?)")
    _check_summary(file, lines, matches)
    values = [float(match[1]) for match in matches[_TOTALS:-1]]
    dropped = matches[_TOTALS + 10]
    named = [
        ("duration", 0, 1),
        ("received", 1, 1),
        ("delay_min", 2, 1e3),
        ("delay_max", 3, 1e3),
        ("delay_mean", 4, 1e3),
        ("jitter", 5, 1e3),
        ("delay_sd", 6, 1e3),
        ("received_bytes", 7, 1),
        ("goodput", 8, 1e-3),
        ("packet_rate", 9, 1),
        ("lost", 10, 1),
    ]
    for metric, index, scale in named:
        yield Value(metric, values[index] * scale, _TOTALS + index + 1)
    yield Value("loss", float(dropped[2]), _TOTALS + 11)


def _check_summary(file: str, lines: list[str], matches: list[re.Match[str]]) -> None:
    """Raises LogError if ITGDec met errors, or read the log of the sender."""
    if float(matches[-2][1]):
        raise LogError(file, len(lines) - 1, lines[-2], "no error lines")
    if float(matches[_FLOW + 1][1]) < 2:
        raise LogError(file, _FLOW + 2, lines[_FLOW + 1], "two packets at least")
    if not any(float(match[1]) for match in matches[_DELAYS]):
        raise LogError(file, _DELAYS.start + 1, lines[_DELAYS.start], _SENDERS)


def _read_series(file: str, lines: list[str]) -> Iterable[Value]:
    delays = []
    for index, line in enumerate(lines):
        number = index + 1
        match = _SERIES_LINE.fullmatch(line)
        if not match:
            raise LogError(file, number, line, "time, bitrate, delay, jitter and loss of ITGDec")
        time, bitrate, delay, jitter, loss = map(float, match.groups())
        if round(time * 1e3) != index * INTERVAL_MS:
            raise LogError(file, number, line, f"the interval from {index * INTERVAL_MS} ms")
        if bitrate:
            delays.append(delay)
        yield Value("goodput_interval", bitrate / 1e3, number, index)
        yield Value("delay_interval", delay * 1e3, number, index)
        yield Value("jitter_interval", jitter * 1e3, number, index)
        yield Value("loss_interval", loss, number, index)
    # Where clocks differ by as much as a packet takes, one interval may have a mean of 0.
    if len(delays) > 1 and not any(delays):
        raise LogError(file, len(lines), lines[-1], _SENDERS)


def _with_goodput(file: str, series: Iterable[Value], begin: int, end: int) -> Iterable[Value]:
    """Yield a series and, at the line of its first interval, the goodput from `begin` to `end`
    [ms]."""
    within: list[Value] = []
    for value in series:
        yield value
        if value.metric == "goodput_interval" and begin <= value.index * INTERVAL_MS < end:
            within.append(value)
    if not within:
        raise LogError(file, 1, "no interval", f"intervals from {begin} to {end} ms")
    mean = sum(value.value for value in within) / len(within)
    yield Value("goodput", mean, within[0].line)

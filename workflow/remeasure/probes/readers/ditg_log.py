"""What ITGDec of D-ITG prints of a flow (`-v`), and the series of intervals that it writes (`-c`).

A name of a log may have a window of time before its suffix, as in `flow-01.500-3000ms.series.txt`.
The goodput of the flow is then that of the window: the mean of the intervals that begin in it. It
is in the series alone.
"""

import re
from collections.abc import Iterable

from remeasure.probes.base import LogError
from remeasure.probes.metrics import Value

INTERVAL_MS = 100
"""length of an interval of the series [ms]"""
_NUMBER = r"(-?\d+(?:\.\d+)?)"


def _value(name: str, unit: str = "") -> str:
    return rf"{name} += +{_NUMBER}{unit}"


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
    rf"Packets dropped += +{_NUMBER} \({_NUMBER} %\)",
    rf"Average loss-burst size += +{_NUMBER} pkt",
]
_SUMMARY = [
    re.compile(pattern)
    for pattern in [
        r"ITGDec version 2\.8\.\d+ \(r\d+\)",
        r"Compile-time options: [\w ]+",
        "-{20,}",
        r"Flow number: \d+",
        r"From \S+:\d+",
        r"To +\S+:\d+",
        "-{20,}",
        *_VALUES,
        "-{20,}",
        "",
        "_{20,}",
        r"\*+  TOTAL RESULTS   \*+",
        "_{20,}",
        "Number of flows += +1",
        *_VALUES,
        _value("Error lines"),
        "-{20,}",
    ]
]
"""the lines of a summary of one flow, in order"""
_TOTALS = 25
"""index of the first value of the total results"""
_WINDOW = re.compile(r"\.(\d+)-(\d+)ms(?:\.series)?\.txt$")
"""in the name of a log: the time that goodput is of, since the first packet arrived [ms]"""
_SERIES_LINE = re.compile(" ".join([r"(\d+\.\d+)"] + [_NUMBER] * 4))


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
        match = _SUMMARY[number - 1].fullmatch(line.strip())
        if not match:
            raise LogError(file, number, line, f"{_SUMMARY[number - 1].pattern} of ITGDec")
        matches.append(match)
    if len(lines) < len(_SUMMARY):
        raise LogError(file, len(lines), lines[-1], "the rest of a summary (is the file cut?)")
    values = [float(match[1]) for match in matches[_TOTALS:-1]]
    dropped = matches[_TOTALS + 10]
    if values[-1]:
        raise LogError(file, len(lines) - 1, lines[-2], "no error lines")
    if values[1] < 2 or values[0] <= 0:
        raise LogError(file, _TOTALS + 2, lines[_TOTALS + 1], "two packets at least")
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


def _read_series(file: str, lines: list[str]) -> Iterable[Value]:
    for index, line in enumerate(lines):
        number = index + 1
        match = _SERIES_LINE.fullmatch(line)
        if not match:
            raise LogError(file, number, line, "time, bitrate, delay, jitter and loss of ITGDec")
        time, bitrate, delay, jitter, loss = map(float, match.groups())
        if round(time * 1000) != index * INTERVAL_MS:
            raise LogError(file, number, line, f"the interval from {index * INTERVAL_MS} ms")
        yield Value("goodput_interval", bitrate / 1e3, number, index)
        yield Value("delay_interval", delay * 1e3, number, index)
        yield Value("jitter_interval", jitter * 1e3, number, index)
        yield Value("loss_interval", loss, number, index)


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

"""Output of ITGDec of D-ITG for a flow (`-v`), and its series of intervals (`-c`). If the name of a
log has a window of time before its suffix, only the series gives the goodput."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from remeasure.bench.base.files import read_yaml
from remeasure.bench.probes.base import LogError, match_line, text_lines
from remeasure.bench.probes.metrics import Value

INTERVAL_MS = 100
"""length of an interval of the series [ms]"""
METRICS = cast(dict[str, str], read_yaml(Path(__file__).with_name("ditg-metrics.yaml")))
_NUMBER = r"(-?[0-9]+(?:\.[0-9]+)?)"
_NAMED = {
    "Total time": (" s", "duration", 1),
    "Total packets": ("", "received", 1),
    "Minimum delay": (" s", "delay_min", 1e3),
    "Maximum delay": (" s", "delay_max", 1e3),
    "Average delay": (" s", "delay_mean", 1e3),
    "Average jitter": (" s", "jitter", 1e3),
    "Delay standard deviation": (" s", "delay_sd", 1e3),
    "Bytes received": ("", "received_bytes", 1),
    "Average bitrate": (" Kbit/s", "goodput", 1e-3),
    "Average packet rate": (" pkt/s", "packet_rate", 1),
    "Packets dropped": (rf" \({_NUMBER} %\)", "lost", 1),
}
"""name of a value, in the order of the lines -> its unit there, its metric, and factor to that"""
_VALUES = [
    *(rf"{name} += +{_NUMBER}{unit}" for name, (unit, _, _) in _NAMED.items()),
    f"Average loss-burst size += +{_NUMBER} pkt",
]
_DASHES, _RULE = "-{20,}", "_{20,}"
_SUMMARY = [
    r"ITGDec version 2\.8\.[0-9]+ \(r[0-9]+\)",
    r"Compile-time options: [\w ]+",
    _DASHES,
    "Flow number: [0-9]+",
    r"From \S+:[0-9]+",
    r"To +\S+:[0-9]+",
    _DASHES,
    *_VALUES,
    _DASHES,
    "",
    _RULE,
    r"\*+  TOTAL RESULTS   \*+",
    _RULE,
    "Number of flows += +1",
    *_VALUES,
    f"Error lines += +{_NUMBER}",
    _DASHES,
]
"""the lines of a summary of one flow, in order"""
_FLOW, _TOTALS = 7, 25
"""indices of the first value of the flow, and of the total results"""
_SENDERS = "delays that are not all exactly 0 (is it the sender's log?)"
_WINDOW = re.compile(r"\.([0-9]+)-([0-9]+)ms(?:\.series)?\.txt$")
"""in the name of a log: the time that goodput covers, since the first packet arrived [ms]"""
_SERIES_LINE = re.compile(" ".join([r"([0-9]+\.[0-9]+)"] + [_NUMBER] * 4))


def read_summary(file: str, content: bytes) -> Iterable[Value]:
    """Yield the values of a summary. Raises LogError."""
    lines, matches = text_lines(file, content), []
    for number, (line, form) in enumerate(zip(lines, _SUMMARY, strict=False), 1):
        match = re.fullmatch(form, line.strip(), re.ASCII)
        if not match:
            expected = f"a line like {form}" if form else "an empty line, the end of the only flow"
            raise LogError(file, number, line, f"{expected} (ITGDec)")
        matches.append(match)
    if len(lines) != len(_SUMMARY):
        expected = f"{len(_SUMMARY)} lines of a summary (is the file cut?)"
        raise LogError(file, len(lines), lines[-1], expected)
    if float(matches[-2][1]):
        raise LogError(file, len(lines) - 1, lines[-2], "no error lines")
    if float(matches[_FLOW + 1][1]) < 2:
        raise LogError(file, _FLOW + 2, lines[_FLOW + 1], "two packets at least")
    if not any(float(match[1]) for match in matches[_FLOW + 2 : _FLOW + 7]):
        raise LogError(file, _FLOW + 3, lines[_FLOW + 2], _SENDERS)
    for index, (_, metric, scale) in enumerate(_NAMED.values(), _TOTALS):
        if metric != "goodput" or not _WINDOW.search(file):
            yield Value(metric, float(matches[index][1]) * scale, index + 1)
    yield Value("loss", float(matches[index][2]), index + 1)


def read_series(file: str, content: bytes) -> Iterable[Value]:
    """Yield the values of a series. Raises LogError."""
    lines, delays, rates = text_lines(file, content), [], list[float]()
    for number, line in enumerate(lines, 1):
        index = number - 1
        form = "time, bitrate, delay, jitter and loss of ITGDec"
        match = match_line(_SERIES_LINE, file, number, line, form)
        time, bitrate, delay, jitter, loss = map(float, match.groups())
        if round(time * 1e3) != index * INTERVAL_MS:
            raise LogError(file, number, line, f"the interval from {index * INTERVAL_MS} ms")
        if bitrate:
            delays.append(delay)
        rates.append(bitrate / 1e3)
        yield Value("goodput_interval", rates[-1], number, index)
        yield Value("delay_interval", delay * 1e3, number, index)
        yield Value("jitter_interval", jitter * 1e3, number, index)
        yield Value("loss_interval", loss, number, index)
    # If clocks differ by as much as a packet takes, one interval may have a mean of 0.
    if len(delays) > 1 and not any(delays):
        raise LogError(file, len(lines), lines[-1], _SENDERS)
    if window := _WINDOW.search(file):
        begin, end = map(int, window.groups())
        within = [n for n in range(len(rates)) if begin <= n * INTERVAL_MS < end]
        if not within:
            raise LogError(file, 1, "no interval", f"intervals from {begin} to {end} ms")
        mean = sum(rates[n] for n in within) / len(within)
        yield Value("goodput", mean, within[0] + 1)

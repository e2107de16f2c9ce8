"""How busy each processor of a host was, by mpstat (`-o JSON`).

Busy is all that is not idle. Finer kinds mean nothing in User Mode Linux, which books time of the
kernel as time of users.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from remeasure.probes.base import LogError, text_lines
from remeasure.probes.metrics import Metric, Metrics, Value
from remeasure.testbed.tools import Tool

TOOL = {"mpstat": Tool(["mpstat", "-V"])}
METRICS = Metrics(
    {
        "{host}_busy": Metric("%", "not idle, mean over the host's processors (index: second)"),
        "{host}_cpu{n}_busy": Metric("%", "one processor not idle, mean over seconds"),
    }
)

OUTPUT = "/run/mpstat.json"
_CORES = re.compile(r"(\d{14})((?:,\d{1,3}(?:\.\d+)?)+)")


@dataclass(frozen=True)
class Reading:
    """One line of a table of readings."""

    line: int
    """its number in the file, from 1"""
    stamp: str
    """when it began, YYYYMMDDhhmmss"""
    busy: tuple[float, ...]
    """share of each processor that was not idle [%]"""


def command(seconds: int) -> list[str]:
    """The command line of mpstat: one reading a second."""
    return ["mpstat", "-P", "ALL", "-o", "JSON", "1", str(seconds)]


def read(file: str, content: bytes, role: str) -> Iterable[Value]:
    """METRICS of host `role`. The line of every value is the first. Raises LogError."""
    try:
        (host,) = json.loads(content)["sysstat"]["hosts"]
        readings = [
            {load["cpu"]: 100 - load["idle"] for load in reading["cpu-load"]}
            for reading in host["statistics"]
        ]
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        line = getattr(error, "lineno", 1)
        raise LogError(file, line, str(error), "JSON of mpstat (is the file cut?)") from None
    except (KeyError, TypeError, ValueError) as error:
        raise LogError(file, 1, f"no {error}", "the JSON of mpstat, whole") from None
    if not readings:
        raise LogError(file, 1, "no reading", "one a second")
    for index, reading in enumerate(readings):
        yield Value(f"{role}_busy", reading["all"], 1, index)
    for cpu in readings[0]:
        if cpu != "all":
            mean = sum(reading[cpu] for reading in readings) / len(readings)
            yield Value(f"{role}_cpu{cpu}_busy", mean, 1)


def read_cores(file: str, content: bytes) -> list[Reading]:
    """A table that study wagner made of mpstat: timestamp,core_0,core_1,... and one reading a line.

    Raises LogError naming the line that is no reading.
    """
    header, *lines = text_lines(file, content)
    names = header.split(",")
    if names != ["timestamp", *(f"core_{n}" for n in range(len(names) - 1))] or len(names) < 2:
        raise LogError(file, 1, header, "timestamp,core_0,core_1,...")
    if not lines:
        raise LogError(file, 1, "no reading", "one a line")
    readings = []
    for number, line in enumerate(lines, 2):
        match = _CORES.fullmatch(line)
        busy = tuple(map(float, match[2][1:].split(","))) if match else ()
        if len(busy) != len(names) - 1 or max(busy) > 100:
            raise LogError(file, number, line, f"a time and {len(names) - 1} times 0 to 100")
        readings.append(Reading(number, match[1], busy))
    return readings

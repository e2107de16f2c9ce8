"""The study's tables of how busy each processor was: one line per reading, one column per
processor."""

import re
from dataclasses import dataclass

from remeasure.bench.probes.base import LogError, text_lines

_LINE = re.compile(r"([0-9]{14})((?:,[0-9]{1,3}(?:\.[0-9]+)?)+)")


@dataclass(frozen=True)
class Reading:
    """One line of the table."""

    line: int
    stamp: str
    """start of the reading, YYYYMMDDhhmmss"""
    busy: tuple[float, ...]
    """share of time that each processor was busy [%]"""


def read_cores(file: str, content: bytes) -> list[Reading]:
    """Read a table with the header timestamp,core_0,core_1,...

    Raises LogError naming a line that does not fit.
    """
    header, *lines = text_lines(file, content)
    names = header.split(",")
    if names != ["timestamp", *(f"core_{n}" for n in range(len(names) - 1))] or len(names) < 2:
        raise LogError(file, 1, header, "timestamp,core_0,core_1,...")
    if not lines:
        raise LogError(file, 1, "no reading", "one a line")
    readings = []
    for number, line in enumerate(lines, 2):
        match = _LINE.fullmatch(line)
        busy = tuple(map(float, match[2][1:].split(","))) if match else ()
        if match is None or len(busy) != len(names) - 1 or max(busy) > 100:
            raise LogError(file, number, line, f"a time and {len(names) - 1} times 0 to 100")
        readings.append(Reading(number, match[1], busy))
    return readings

"""Files of counters since format 4: all readings of one host in a trial, in their order, each under
a line that says what it belongs to."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.record import CounterEntry

START = "start"
"""what is in place of a probe's name before the first"""
_HEADING = re.compile(r"^##### reading ([0-9]+) of .*$", re.MULTILINE)


class Reading(NamedTuple):
    """One reading of the counters of a host."""

    line: int
    """number of the line of its file at which it begins, from 1"""
    text: str
    """what the host printed"""


def counters_file(host: str) -> str:
    """Name of the file with the counters of a host."""
    return f"counters.{host}.txt"


def heading(entry: CounterEntry) -> str:
    """The line above a reading: '##### reading 3 of gw1, after tcp 2 (load=0.5)'. It has no number
    of a run where none has ended since the reading before: 'start', 'after tcp'."""
    levels = ", ".join(f"{factor}={level}" for factor, level in entry["levels"].items())
    of = entry["after"] if entry["after"] == START else f"after {entry['after']}"
    run = f" {entry['repeat']}" if entry["repeat"] else ""
    where = f"##### reading {entry['number']} of {entry['host']}"
    return f"{where}, {of}{run}" + (f" ({levels})" if levels else "")


def reading(entry: CounterEntry, text: str) -> str:
    """What one reading, in which the host printed `text`, adds to the file of its counters."""
    return f"{heading(entry)}\n{text}" + ("" if text.endswith("\n") else "\n")


def split_readings(source: str, text: str, entries: Iterable[CounterEntry]) -> dict[int, Reading]:
    """The readings in the file `source`, by their numbers. Raises UserError unless the
    `entries` list the same readings, in the same order."""
    found: dict[int, Reading] = {}
    expected = [heading(entry) for entry in entries]
    marks = list(_HEADING.finditer(text))
    lines = [mark[0] for mark in marks]
    if lines != expected or (marks and marks[0].start()):
        pairs = [*zip(lines, expected, strict=False)]
        other = next((pair for pair in pairs if pair[0] != pair[1]), None)
        found_now, wanted = other or (f"{len(lines)} readings", f"{len(expected)}")
        raise UserError(f"{source}: found {found_now}, expected {wanted}, as trial.json has it")
    line = 1
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=True):
        content = text[mark.end() + 1 : end]
        found[int(mark[1])] = Reading(line, content)
        line += 1 + content.count("\n")
    return found

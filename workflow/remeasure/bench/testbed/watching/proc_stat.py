"""Processor time as Linux accounts for it: /proc/stat and /proc/<pid>/stat, in ticks of 10 ms.

See proc_stat(5) and proc_pid_stat(5). On every architecture that the project runs on, a tick as
these files show it (USER_HZ) is 10 ms, whatever the kernel's own tick.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

TICK_MS = 10
ASK_PROCESSORS = "head -n 1 /proc/stat"
"""command that prints what `read_processors` reads"""
_TOTAL = re.compile(r"cpu +[0-9]+( [0-9]+){7,}")
_EACH = re.compile(r"cpu[0-9]+( [0-9]+){7,}")
_PROCESS = re.compile(r"[0-9]+ \(.*\) [A-Za-z]( -?[0-9]+){14,}\s*", re.DOTALL)
"""the forms of the lines; int() alone would take digits of any script, signs and underscores"""


class Processors(NamedTuple):
    """Time of all processors together since the host started [ticks]."""

    busy: int
    """time neither idle, nor waiting for a disk, nor taken by a hypervisor [ticks]"""
    idle: int
    """time idle or waiting for a disk [ticks]. A kernel without a tick on idle processors, as Linux
    is built almost everywhere, measures it by its clock. It counts `busy` and `interrupts` by what
    it finds at each of its ticks, so work in step with them is missed, or counted as if it never
    paused"""
    interrupts: int
    """the part of `busy` that served interrupts, which is charged to no process [ticks]"""
    steal: int
    """time that a hypervisor took [ticks]"""
    total: int


def read_processors(text: str) -> Processors:
    """Processor time from /proc/stat, or from its first line alone. Raises ValueError if that line
    is missing."""
    _, *fields = (text.split("\n", 1)[0].split() or [""])[:9]
    if not _TOTAL.fullmatch(text.split("\n", 1)[0].rstrip()):
        raise ValueError(f"found {text[:80]!r}, expected the line 'cpu' of /proc/stat")
    user, nice, system, idle, iowait, irq, softirq, steal = map(int, fields)
    busy = user + nice + system + irq + softirq
    return Processors(busy, idle + iowait, irq + softirq, steal, busy + idle + iowait + steal)


def idle_of_processors(text: str) -> dict[int, int]:
    """Time that each processor was idle or waited for a disk since the host started [ticks], from
    /proc/stat: number of the processor -> time."""
    lines = [line.split() for line in text.splitlines() if _EACH.fullmatch(line)]
    return {int(name[3:]): int(fields[3]) + int(fields[4]) for name, *fields in lines}


def process_ms(line: str) -> int:
    """Processor time of one process, and of the children that it waited for [ms], from the line of
    its /proc/<pid>/stat. Raises ValueError if the line is malformed."""
    if not _PROCESS.fullmatch(line):
        raise ValueError(f"found {line!r}, expected a line of /proc/<pid>/stat")
    return TICK_MS * sum(map(int, fields_of(line)[11:15]))


def all_processes() -> dict[int, str]:
    """Lines of all processes in this process's PID namespace: PID -> /proc/<pid>/stat."""
    stats: dict[int, str] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stats[int(entry.name)] = Path(entry.path, "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
                continue
    return stats


def process_tree(root: int) -> str:
    """Lines of /proc/<pid>/stat for a process of this machine and all its descendants. For a guest
    they give the processor time that it really used."""
    stats = all_processes()
    parents = {pid: int(fields_of(line)[1]) for pid, line in stats.items()}
    return "".join(stats[pid] for pid in sorted(descendants(parents, root)))


def descendants(parents: Mapping[int, int], root: int) -> set[int]:
    """The process `root` and all its descendants, of those in `parents`: PID -> PID of its
    parent."""
    found, grown = {root}, True
    while grown:
        new = {pid for pid, parent in parents.items() if parent in found} - found
        found, grown = found | new, bool(new)
    return found & set(parents)


def fields_of(line: str) -> list[str]:
    """The fields after the program's name, which may itself contain spaces and parentheses."""
    return line.rpartition(")")[2].split()

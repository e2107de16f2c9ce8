"""Processor time as Linux accounts for it: /proc/stat and /proc/<pid>/stat, in ticks of 10 ms.

See proc_stat(5) and proc_pid_stat(5). On every architecture that the project runs on, a tick as
these files show it (USER_HZ) is 10 ms, whatever the kernel's own tick.
"""

import os
from pathlib import Path
from typing import NamedTuple

TICK_MS = 10
ASK_PROCESSORS = "head -n 1 /proc/stat"
"""prints what `read_processors` reads"""


class Processors(NamedTuple):
    """Time of all processors together since the host started [ticks]."""

    busy: int
    """neither idle, waiting for a disk, nor taken by a hypervisor"""
    interrupts: int
    """the part of `busy` that served interrupts, which no process is charged for"""
    steal: int
    """taken by a hypervisor"""
    total: int


def read_processors(text: str) -> Processors:
    """From /proc/stat, or its first line alone. Raises ValueError if that is not there."""
    name, *fields = text.split("\n", 1)[0].split()[:9]
    if name != "cpu" or len(fields) < 8:
        raise ValueError(f"found {text[:80]!r}, expected the line 'cpu' of /proc/stat")
    user, nice, system, idle, iowait, irq, softirq, steal = map(int, fields)
    busy = user + nice + system + irq + softirq
    return Processors(busy, irq + softirq, steal, busy + idle + iowait + steal)


def process_ms(line: str) -> int:
    """Processor time of one process, and of the children that it waited for [ms], from its
    /proc/<pid>/stat. Raises ValueError if the line is no such."""
    times = _fields(line)[11:15]
    if len(times) < 4:
        raise ValueError(f"found {line!r}, expected a line of /proc/<pid>/stat")
    return TICK_MS * sum(map(int, times))


def all_processes() -> dict[int, str]:
    """PID -> /proc/<pid>/stat, of every process that this one's PID namespace shows."""
    stats: dict[int, str] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stats[int(entry.name)] = Path(entry.path, "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
                continue
    return stats


def process_tree(root: int) -> str:
    """/proc/<pid>/stat of a process of this machine and of all its descendants, a line each. Of a
    guest this is the processor time that it really used."""
    stats = all_processes()
    parents = {pid: int(_fields(line)[1]) for pid, line in stats.items()}
    tree, grown = {root}, True
    while grown:
        new = {pid for pid, parent in parents.items() if parent in tree} - tree
        tree, grown = tree | new, bool(new)
    return "".join(stats[pid] for pid in sorted(tree) if pid in stats)


def _fields(line: str) -> list[str]:
    """The fields after the name of the program, which may itself hold spaces and parentheses."""
    return line.rpartition(")")[2].split()

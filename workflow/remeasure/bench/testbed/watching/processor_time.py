"""Processor time of this machine and of its processes.

/proc/stat and /proc/<pid>/stat show it in ticks of 10 ms (USER_HZ) on every architecture that the
project runs on, whatever the kernel's own tick; see proc_stat(5) and proc_pid_stat(5).

A process also has a CPU-time clock (clock_getcpuclockid(3)), which any process of the PID namespace
may read. It has the scheduler's counts of its threads (/proc/<pid>/task/*/schedstat), and keeps the
time of threads that have ended. The time of ended children is added to their parent when it waits
for them, also in ns, but shown only in ticks (cutime and cstime). A difference of two readings is
therefore off by less than two ticks for each parent whose children ended meanwhile, and exact for
any other.

User Mode Linux runs a guest's kernel in one process and the programs of the guest in children of
it, one for each address space. Under QEMU both are one process.
"""

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from typing_extensions import TypedDict

from remeasure.bench.base.config import exact

TICK_MS = 10
TICK_NS = TICK_MS * 1_000_000
_PROGRAMS = "uml-userspace"
"""name that User Mode Linux gives the processes that run programs of a guest"""


class Processors(NamedTuple):
    """Time of all processors together since the host started [ticks]."""

    busy: int
    """time neither idle, nor waiting for a disk, nor taken by a hypervisor [ticks]"""
    idle: int
    """time idle or waiting for a disk [ticks]. A kernel without a tick on idle processors, as Linux
    is built almost everywhere, measures it by its clock. It counts `busy` and `interrupts` by
    samples at its ticks, so work in step with them is missed, or counted as if it never paused"""
    interrupts: int
    """the part of `busy` that served interrupts, which is charged to no process [ticks]"""
    steal: int
    """time that a hypervisor took [ticks]"""


def read_processors(text: str) -> Processors:
    """Processor time from /proc/stat, or from only its first line. Raises ValueError if that line
    is missing."""
    name, *fields = (text.split("\n", 1)[0].split() or [""])[:9]
    if name != "cpu" or len(fields) != 8:
        raise ValueError(f"found {text[:80]!r}, expected the line 'cpu' of /proc/stat")
    user, nice, system, idle, iowait, irq, softirq, steal = map(int, fields)
    busy = user + nice + system + irq + softirq
    return Processors(busy, idle + iowait, irq + softirq, steal)


def process_ms(line: str) -> int:
    """Processor time of one process, and of the children that it waited for [ms], from the line of
    its /proc/<pid>/stat. Raises ValueError if the line is malformed."""
    return TICK_MS * sum(map(int, fields_of(line)[11:15]))


def fields_of(line: str) -> list[str]:
    """The fields of a line of /proc/<pid>/stat after the program's name, which may itself contain
    spaces and parentheses. Raises ValueError if the line is malformed."""
    fields = line.rpartition(")")[2].split()
    if len(fields) < 15:
        raise ValueError(f"found {line!r}, expected a line of /proc/<pid>/stat")
    return fields


class Process(NamedTuple):
    """A process of this machine."""

    parent: int
    """PID of its parent"""
    name: str
    ns: int
    """processor time that it has used itself [ns]"""
    children_ns: int
    """processor time of its ended children for which it waited [ns, whole ticks]"""
    line: str = ""
    """its line of /proc/<pid>/stat"""


@exact
class HostTime(TypedDict):
    """Processor time that one host of a lab used on the machine under it."""

    ns: int
    """all of it [ns]. For a host that is a set of namespaces: only its processes, because the
    machine's kernel does not show for which host it works on a packet"""
    user_ns: int | None
    """the part of the guest's programs; the rest is the guest's kernel [ns]. None if the two cannot
    be separated: QEMU, namespaces"""


def read_processes() -> dict[int, Process]:
    """All processes in this process's PID namespace: PID -> process."""
    found: dict[int, Process] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                line = Path(entry.path, "stat").read_text()
                found[int(entry.name)] = read_process(line, clock_ns(int(entry.name)))
            except OSError:  # it ended meanwhile
                continue
    return found


def read_process(line: str, ns: int) -> Process:
    """A process from the line of its /proc/<pid>/stat and its own time [ns]. Raises ValueError if
    the line is malformed."""
    fields = fields_of(line)
    name = line.rpartition(")")[0].partition("(")[2]
    ended = sum(map(int, fields[13:15]))
    return Process(int(fields[1]), name, ns, ended * TICK_NS, line)


def used_ns(processes: Mapping[int, Process]) -> int:
    """Time of these processes, and of the children that they waited for [ns]."""
    return sum(process.ns + process.children_ns for process in processes.values())


def host_time(
    before: Mapping[int, Process], after: Mapping[int, Process], root: int
) -> HostTime | None:
    """Time of a guest between two readings of all processes. `root`: PID of its first process, the
    parent of all others. None if it has ended."""
    if root not in before or root not in after:
        return None
    first, last = tree(before, root), tree(after, root)
    used = max(used_ns(last) - used_ns(first), 0)
    if not any(process.name == _PROGRAMS for process in (*first.values(), *last.values())):
        return {"ns": used, "user_ns": None}
    kernel = _kernel_ns(last) - _kernel_ns(first)
    # Ticks of ended programs that are shown late would make their part negative.
    return {"ns": max(used, kernel), "user_ns": max(used - kernel, 0)}


def guest_ns(root: int) -> int:
    """Time that a guest has used until now [ns]. `root` as in `host_time`."""
    return used_ns(tree(read_processes(), root))


def tree(processes: Mapping[int, Process], root: int) -> dict[int, Process]:
    """The process `root` and all its descendants, by PID."""
    found, grown = {root}, True
    while grown:
        new = {pid for pid, one in processes.items() if one.parent in found} - found
        found, grown = found | new, bool(new)
    return {pid: processes[pid] for pid in sorted(found & processes.keys())}


def _kernel_ns(guest: Mapping[int, Process]) -> int:
    """Time of a guest's kernel and of its helpers. They live as long as the guest; its children
    that end are programs."""
    return sum(process.ns for process in guest.values() if process.name != _PROGRAMS)


def clock_ns(pid: int) -> int:
    """The CPU-time clock of a process [ns]. Raises OSError if it has ended. The number of the clock
    is made as clock_getcpuclockid(3) makes it."""
    return time.clock_gettime_ns(~pid << 3 | 2)


_HASHES = 2_500_000
"""about a second on processors of released campaigns"""


def pace_ns() -> int:
    """Processor time of a fixed computation by one thread: SHA-512, over and over [ns]. It takes
    about 1 s on the quiet machines of campaigns, and 2 to 3 s if other programs share a core. It
    tells a processor that runs slower than before (its clock, its cooling, a neighbour on the same
    core) from one that others use, of which the load tells: time in which this thread did not run
    is left out."""
    start = time.thread_time_ns()
    hashlib.pbkdf2_hmac("sha512", b"pace", b"pace", _HASHES)
    return time.thread_time_ns() - start

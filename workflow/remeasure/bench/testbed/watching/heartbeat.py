"""Whether the hosts of a lab went on during a measurement, or stood still.

Every PERIOD_S a thread of the measuring process reads the processor time that each guest has used
on this machine. A guest of User Mode Linux ticks even when it is idle (lab/uml.py), so its time
grows. If it does not grow, the guest stands still, whatever the cause: stopped, frozen, starved of
its core, or waiting for a disk. Hosts whose kernel sleeps when it has nothing to do (QEMU), or that
have none of their own (namespaces), stand still if their time does not grow although they do not
sleep.

A guest may be stopped and let go again many times between two looks. Each look therefore asks for
its state, too: only a signal stops a guest (state T of proc_pid_stat(5)), and each time that it is
met stopped stands for the time since the look before. Short stalls are kept as well, since many of
them are as bad as a long one. If the thread itself is late, the measuring process, or the whole
machine, stood still.

The guests notice nothing of this, unlike of an echo over the control network or of a program in the
guest (env/benchmarks/stalls.py measures its cost here).
"""

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from typing_extensions import TypedDict

from remeasure.bench.base.config import exact
from remeasure.bench.testbed.record_clock import now_ns
from remeasure.bench.testbed.watching.processor_time import clock_ns, fields_of

PERIOD_S = 0.03
"""time between two looks [s]. A stall is measured to within one of them"""
STALL_S = 0.15
"""shortest time for which a host stands still that is a stall [s]. A process that takes its turn on
a busy core waits for hundredths of a second"""
SHORT_S = 2.5 * PERIOD_S
"""shortest time that is added up with others [s]: two looks without progress, even late ones.
Guests that share a core wait for each other for one"""
OURS = "(harness)"
"""the measuring process, in place of a host's name (here and in lab/placement.py)"""
_PERIOD_NS = round(PERIOD_S * 1e9)
_SLEEPING, _STOPPED = ("S", "I"), "T"


@exact
class Stall(TypedDict):
    """A time for which a host stood still."""

    host: str
    """role of the host, or OURS: the measuring process stood still, and perhaps the machine"""
    start_ns: int
    """[ns since the epoch], by the clock of records"""
    ns: int
    """length [ns]"""


class Heartbeat:
    """Watches hosts from the moment at which it is made until `stop`."""

    def __init__(self, hosts: Mapping[str, int], ticks: bool):
        """`hosts`: role -> PID of the host's first process. `ticks`: their processor time grows
        even when they are idle."""
        self._hosts, self._ticks = dict(hosts), ticks
        self._stalls: list[Stall] = []
        self._used = {role: _used_ns(process) for role, process in hosts.items()}
        self._looked = now_ns()
        self._standing = dict.fromkeys(hosts, _Standing(self._looked, self._looked))
        self.cost_s = 0.0
        """processor time that watching has taken so far [s]"""
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def since(self, start_ns: int) -> list[Stall]:
        """Stalls that lasted at `start_ns` (by the clock of records) or began after it; unfinished
        stalls are as long as they are now."""
        lasting = [_stall(OURS, self._looked, now_ns())]
        lasting += [_stall(role, *standing.span) for role, standing in self._standing.items()]
        found = [*self._stalls, *filter(_is_long, lasting)]
        return [stall for stall in found if stall["start_ns"] + stall["ns"] > start_ns]

    def stop(self) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(PERIOD_S):
            now = now_ns()
            before, self._looked = self._looked, now
            self._note(_stall(OURS, before, now))
            for role, process in self._hosts.items():
                standing = self._standing[role]
                if _state(process) == _STOPPED:
                    self._stalls.append(_stall(role, before, now))
                if self._goes_on(role, process):
                    self._note(_stall(role, *standing.span))
                    self._standing[role] = _Standing(now, now)
                else:
                    self._standing[role] = standing._replace(still=now)
            self.cost_s = time.thread_time()

    def _note(self, stall: Stall) -> None:
        """Keep a stall that is long enough, in place of the looks that found its host stopped."""
        if _is_long(stall):
            host, start = stall["host"], stall["start_ns"]
            kept = [
                o for o in self._stalls if o["host"] != host or o["start_ns"] + o["ns"] <= start
            ]
            self._stalls = [*kept, stall]

    def _goes_on(self, role: str, process: int) -> bool:
        used = _used_ns(process)
        moved, self._used[role] = used != self._used[role], used
        return used is None or moved or (not self._ticks and _state(process) in _SLEEPING)


class _Standing(NamedTuple):
    """For how long one host has shown no progress."""

    alive: int
    """time of its last known progress [ns]"""
    still: int
    """when it was last seen without any since; else `alive` [ns]"""

    @property
    def span(self) -> tuple[int, int]:
        """Its beginning and end [ns]. It ended some time in the period after it was last seen."""
        return self.alive, self.still + _PERIOD_NS * (self.still > self.alive)


def _stall(host: str, start: int, end: int) -> Stall:
    return {"host": host, "start_ns": start, "ns": end - start}


def _is_long(stall: Stall) -> bool:
    return stall["ns"] > (STALL_S if stall["host"] == OURS else SHORT_S) * 1e9


def _used_ns(process: int) -> int | None:
    """Processor time of a process itself [ns]; None if it has ended, which others notice."""
    try:
        return clock_ns(process)
    except OSError:
        return None


def _state(process: int) -> str:
    """State of a process by proc_pid_stat(5); S if it has ended."""
    try:
        return fields_of(Path(f"/proc/{process}/stat").read_text())[0]
    except OSError:
        return _SLEEPING[0]

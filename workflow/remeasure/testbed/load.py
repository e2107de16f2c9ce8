"""How busy processors were while something was measured."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypedDict

from remeasure.testbed.proc_stat import (
    TICK_MS,
    Processors,
    all_processes,
    process_ms,
    read_processors,
)


class Load(TypedDict):
    """Shares of all cores, 0 to 1, while a trial ran."""

    busy: float
    """share in use by anything, the trial included"""
    steal: float
    """share that a hypervisor took"""
    foreign: float
    """share used by processes that are no part of the trial"""


NO_LOAD: Load = {"busy": 0.0, "steal": 0.0, "foreign": 0.0}


class Meter(Protocol):
    """Measures the load of processors from the moment at which it is made."""

    def read(self) -> Load:
        """The load since the meter was made."""


class LocalMeter:
    """The load of this machine."""

    def __init__(self, shares_kernel: bool = False):
        """Begin to measure. `shares_kernel`: hosts are namespaces of this machine's kernel. It
        works on their packets in interrupts, which are charged to no process, so `foreign` leaves
        interrupts out."""
        self._shares_kernel = shares_kernel
        self._start = _here(), _own_ticks()

    def read(self) -> Load:
        """The load since the meter was made. `foreign` is what was used neither by this process nor
        by any other process in its PID namespace (the guests)."""
        before, own_before = self._start
        moved = _moved(before, _here())
        own = _own_ticks() - own_before
        interrupts = moved.interrupts if self._shares_kernel else 0
        # The time of a guest that has ended is no longer listed, so the difference may be negative.
        foreign = max(moved.busy - interrupts - own, 0)
        return {
            "busy": _share(moved.busy, moved),
            "steal": _share(moved.steal, moved),
            "foreign": _share(foreign, moved),
        }


class RemoteMeter:
    """The load of remote machines, as each of them counts it: the highest share of any machine.

    The trial's own part cannot be separated there, so `foreign` is 0.
    """

    def __init__(self, ask: Callable[[], Sequence[Processors]]):
        """Begin to measure. `ask` returns the processor time of each machine so far, always in the
        same order."""
        self._ask = ask
        self._start = ask()

    def read(self) -> Load:
        moved = [_moved(*pair) for pair in zip(self._start, self._ask(), strict=True)]
        return {
            "busy": max(_share(one.busy, one) for one in moved),
            "steal": max(_share(one.steal, one) for one in moved),
            "foreign": 0.0,
        }


def _here() -> Processors:
    return read_processors(Path("/proc/stat").read_text())


def _own_ticks() -> int:
    return sum(map(process_ms, all_processes().values())) // TICK_MS


def _moved(before: Processors, after: Processors) -> Processors:
    return Processors(*(now - then for now, then in zip(after, before, strict=True)))


def _share(ticks: int, moved: Processors) -> float:
    return round(ticks / max(moved.total, 1), 4)

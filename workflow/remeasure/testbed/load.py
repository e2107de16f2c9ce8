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
    """by anything, the trial included"""
    steal: float
    """taken by a hypervisor"""
    foreign: float
    """by what is no part of the trial"""


NO_LOAD: Load = {"busy": 0.0, "steal": 0.0, "foreign": 0.0}


class Meter(Protocol):
    """Measures from its making."""

    def read(self) -> Load:
        """The load since this meter was made."""


class LocalMeter:
    """The load of this machine."""

    def __init__(self, shares_kernel: bool = False):
        """`shares_kernel`: hosts are namespaces of this machine's kernel. It works on their packets
        in interrupts, which no process is charged for, so `foreign` leaves interrupts out."""
        self._shares_kernel = shares_kernel
        self._start = _here(), _own_ticks()

    def read(self) -> Load:
        """`foreign` is what neither this process nor any other in its PID namespace (the guests)
        used."""
        before, own_before = self._start
        moved = _moved(before, _here())
        own = _own_ticks() - own_before
        interrupts = moved.interrupts if self._shares_kernel else 0
        # A guest that ended took its time with it: never report less than nothing.
        foreign = max(moved.busy - interrupts - own, 0)
        return {
            "busy": _share(moved.busy, moved),
            "steal": _share(moved.steal, moved),
            "foreign": _share(foreign, moved),
        }


class RemoteMeter:
    """The load of machines other than this one, each by its own account: the highest of them.

    Which part of it was the trial's cannot be told there, so `foreign` is 0.
    """

    def __init__(self, ask: Callable[[], Sequence[Processors]]):
        """`ask` returns the processor time of each machine so far, always in the same order."""
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

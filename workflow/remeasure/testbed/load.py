"""How busy processors were while something was measured, and for whom."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypedDict

from remeasure.testbed.proc_stat import TICK_MS, Processors, read_processors
from remeasure.testbed.processor_time import (
    HostTime,
    Process,
    host_time,
    read_processes,
    used_ns,
)


class Load(TypedDict):
    """Shares of all cores, 0 to 1, while a trial or a run of a probe ran."""

    busy: float
    """share in use by anything, the trial included"""
    steal: float
    """share that a hypervisor took"""
    foreign: float
    """share used by processes that are no part of the trial"""


NO_LOAD: Load = {"busy": 0.0, "steal": 0.0, "foreign": 0.0}


class Use(NamedTuple):
    """How processors were used during one run of a probe."""

    load: Load
    ticks: int
    """ticks of all processors together during the run; they are what `load` is counted in"""
    hosts: dict[str, HostTime]
    """role -> processor time on the machine; a host is missing whose time is not known"""


class RunMeter(Protocol):
    """Measures the use of processors from the moment at which it is made."""

    def use(self) -> Use:
        """The use since the meter was made."""


class Meter(Protocol):
    """Measures the load of processors from the moment at which it is made."""

    def read(self) -> Load:
        """The load since the meter was made."""

    def of_run(self) -> RunMeter | None:
        """A meter of one run of a probe, which begins now. None where reading it would take
        commands to hosts, whose time would be the run's."""


class LocalMeter:
    """The load of this machine. It reads files and clocks of this machine, and asks no host."""

    def __init__(self, guests: Mapping[str, int] | None = None, shares_kernel: bool = False):
        """Begin to measure. `guests`: role -> PID of the host's first process. `shares_kernel`:
        hosts are namespaces of this machine's kernel. It works on their packets in interrupts,
        which are charged to no process, so `foreign` leaves interrupts out."""
        self._guests = guests or {}
        self._shares_kernel = shares_kernel
        self._start = _here()

    def read(self) -> Load:
        """The load since the meter was made. `foreign` is what was used neither by this process nor
        by any other process in its PID namespace (the guests)."""
        return self.use().load

    def of_run(self) -> "LocalMeter":
        return LocalMeter(self._guests, self._shares_kernel)

    def use(self) -> Use:
        """The same load, and the time of each guest."""
        (before, processes_before), (after, processes_after) = self._start, _here()
        moved = _moved(before, after)
        own = (used_ns(processes_after) - used_ns(processes_before)) / (TICK_MS * 1e6)
        interrupts = moved.interrupts if self._shares_kernel else 0
        # The time of a guest that has ended is no longer listed, so the difference may be negative.
        foreign = max(moved.busy - interrupts - own, 0)
        hosts = {
            role: host_time(processes_before, processes_after, process)
            for role, process in self._guests.items()
        }
        return Use(
            {
                "busy": _share(moved.busy, moved),
                "steal": _share(moved.steal, moved),
                "foreign": _share(foreign, moved),
            },
            moved.total,
            {role: used for role, used in hosts.items() if used is not None},
        )


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

    def of_run(self) -> None:
        return None


def _here() -> tuple[Processors, dict[int, Process]]:
    """What this machine has counted so far, for all and for each of our processes."""
    processes = read_processes()
    return read_processors(Path("/proc/stat").read_text()), processes


def _moved(before: Processors, after: Processors) -> Processors:
    return Processors(*(now - then for now, then in zip(after, before, strict=True)))


def _share(ticks: float, moved: Processors) -> float:
    return round(ticks / max(moved.total, 1), 4)

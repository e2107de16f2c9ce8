"""Load of processors during a measurement, and its causes; stalls, and delays by quotas of
processor time.

Containers get "0.6 processors" by a quota (controller `cpu` of cgroups). A process that has used
its share of a period stands still until the next one. The kernel counts how often and for how long,
for the group that has the quota, which may be any group around the process (`cpu.stat`; cgroup-v2
and sched-bwc in the kernel's documentation). A group that cannot be seen from here is left out.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from typing_extensions import TypedDict  # which pydantic validates under Python 3.11, too

from remeasure.bench.base.config import Share, exact
from remeasure.bench.testbed.record_clock import now_ns
from remeasure.bench.testbed.watching import processor_time
from remeasure.bench.testbed.watching.heartbeat import Heartbeat, Stall


@exact
class Load(TypedDict):
    """Shares of all cores, 0 to 1, while a trial or a run of a probe ran."""

    busy: Share
    """share in use by anything, the trial included"""
    steal: Share
    """share that a hypervisor took"""
    foreign: Share
    """share used by processes that are no part of the trial"""


_MOUNTS = ("", "unified", "cpu", "cpu,cpuacct")
"""where groups of version 2 and 1 may be mounted, in /sys/fs/cgroup"""
NO_LOAD: Load = {"busy": 0.0, "steal": 0.0, "foreign": 0.0}


class Held(NamedTuple):
    """The delay by a quota of one group of processes until now."""

    times: int
    """periods in which it held some of them up"""
    ns: int
    """time for which it did [ns]"""


class Use(NamedTuple):
    """How processors were used during one run of a probe."""

    load: Load
    ticks: int
    """time of all processors together during the run [ticks]; `load` is counted in ticks"""
    hosts: dict[str, processor_time.HostTime]
    """role -> processor time on the machine; a host is missing whose time is not known"""
    stalls: Sequence[Stall] | None = None
    """stalls meanwhile; None if nothing watched"""
    quotas: Mapping[str, Held] = MappingProxyType({})
    """folder of a cgroup -> the delay by its quota of processor time meanwhile, if any"""


class Meter:
    """Measures the load of processors from its making on. This one finds none, as in virtual time
    and of machines of an inventory, which would have to be asked during the trial."""

    def read(self) -> Load:
        """The load since the meter was made."""
        return NO_LOAD

    def of_run(self) -> "LocalMeter | None":
        """A meter of one run of a probe, which begins now. None if reading it would take commands
        to hosts, whose time would be the run's."""
        return None


class _Moment(NamedTuple):
    """Counts of this machine until now."""

    ticks: float
    """time of all its processors, by its clock [ticks]"""
    processors: processor_time.Processors
    processes: dict[int, processor_time.Process]


@dataclass
class LocalMeter(Meter):
    """The load of this machine. It reads files and clocks of this machine, and asks no host.
    Processors are busy when they are neither idle nor taken by a hypervisor. The kernel's own count
    of busy time is not used: it looks only at its ticks, and guests, whose ticks are in step with
    them, would be missed or counted several times."""

    guests: Mapping[str, int] = field(default_factory=dict)
    """role -> PID of the host's first process"""
    shares_kernel: bool = False
    """whether hosts are namespaces of this machine's kernel. It works on their packets in
    interrupts, which are charged to no process, so `foreign` leaves interrupts out"""
    heartbeat: Heartbeat | None = None
    """watches the hosts"""

    def __post_init__(self) -> None:
        self._quotas = held_up()
        self._start, self._start_ns = _here(), now_ns()

    def read(self) -> Load:
        """The load since the meter was made. `foreign` is the use of processes other than this one
        and processes in its PID namespace (the guests)."""
        return self.use().load

    def of_run(self) -> "LocalMeter":
        return replace(self)

    def use(self) -> Use:
        """The load, the time of each guest, stalls, and delays by quotas."""
        before, after = self._start, _here()
        counts = zip(after.processors, before.processors, strict=True)
        moved = processor_time.Processors(*(now - then for now, then in counts))
        ticks = after.ticks - before.ticks
        busy = max(ticks - moved.idle - moved.steal, 0)
        own = (
            processor_time.used_ns(after.processes) - processor_time.used_ns(before.processes)
        ) / processor_time.TICK_NS
        interrupts = moved.interrupts if self.shares_kernel else 0
        # The time of a guest that has ended is no longer listed, so the difference may be negative.
        foreign = max(busy - interrupts - own, 0)
        times = {
            role: processor_time.host_time(before.processes, after.processes, root)
            for role, root in self.guests.items()
        }
        return Use(
            {
                "busy": _share(busy, ticks),
                "steal": _share(moved.steal, ticks),
                "foreign": _share(foreign, ticks),
            },
            round(ticks),
            {role: used for role, used in times.items() if used is not None},
            self.heartbeat.since(self._start_ns) if self.heartbeat else None,
            held_since(self._quotas, held_up()),
        )


def _here() -> _Moment:
    processes = processor_time.read_processes()
    processors = processor_time.read_processors(Path("/proc/stat").read_text())
    cores = os.sysconf("SC_NPROCESSORS_ONLN")
    return _Moment(time.monotonic_ns() * cores / processor_time.TICK_NS, processors, processes)


def _share(ticks: float, total: float) -> float:
    return round(min(ticks / max(total, 1), 1), 4)


def held_up(
    own: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")
) -> dict[str, Held]:
    """The groups with a quota around this process: folder -> the delay by the quota since the group
    was made. `own`: list of the process's groups; `mounted`: where groups are."""
    found: dict[str, Held] = {}
    for line in own.read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        if number != "0" and "cpu" not in controllers.split(","):
            continue
        group = Path(path.lstrip("/"))
        for folder in (
            mounted / mount / one for mount in _MOUNTS for one in (group, *group.parents)
        ):
            if (held := _held(folder / "cpu.stat")) is not None:
                found[str(folder)] = held
    return found


def _held(stat: Path) -> Held | None:
    """The delay by the quota of a group; None if there is no such group, or it has no quota."""
    try:
        fields = dict(line.split(None, 1) for line in stat.read_text().splitlines() if " " in line)
    except OSError:
        return None
    if "nr_throttled" not in fields:
        return None
    ns = fields.get("throttled_time") or 1000 * int(fields.get("throttled_usec", 0))
    return Held(int(fields["nr_throttled"]), int(ns))


def held_since(before: Mapping[str, Held], after: Mapping[str, Held]) -> dict[str, Held]:
    """Delays by quotas between two readings, for the groups with any."""
    return {
        group: Held(held.times - before[group].times, held.ns - before[group].ns)
        for group, held in after.items()
        if group in before and held.times > before[group].times
    }

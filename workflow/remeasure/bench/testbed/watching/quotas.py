"""For how long a quota of processor time held this process and its guests up: the `cpu` controller
of cgroups, by which containers get "0.6 processors".

A process that has used its share of a period stands still until the next one. The kernel counts how
often and for how long, for the group that has the quota, which may be any group around the process
(`cpu.stat`; cgroup-v2 and sched-bwc in the kernel's documentation). A group that cannot be seen
from here is left out.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_MOUNTS = ("", "unified", "cpu", "cpu,cpuacct")
"""where groups of version 2 and 1 may be mounted, in /sys/fs/cgroup"""


class Held(NamedTuple):
    """What a quota did to one group of processes so far."""

    times: int
    """periods in which it held some of them up"""
    ns: int
    """time for which it did [ns]"""


def held_up(
    own: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")
) -> dict[str, Held]:
    """The groups with a quota around this process: folder -> what the quota did since the group was
    made. `own`: list of the process's groups; `mounted`: where groups are."""
    found: dict[str, Held] = {}
    for line in own.read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        if number != "0" and "cpu" not in controllers.split(","):
            continue
        group = Path(path.lstrip("/"))
        for folder in (
            mounted / mount / one for mount in _MOUNTS for one in (group, *group.parents)
        ):
            if (held := _read(folder / "cpu.stat")) is not None:
                found[str(folder)] = held
    return found


def _read(stat: Path) -> Held | None:
    """What the quota of a group did; None if there is no such group, or it has no quota."""
    try:
        fields = dict(line.split(None, 1) for line in stat.read_text().splitlines() if " " in line)
    except OSError:
        return None
    if "nr_throttled" not in fields:
        return None
    ns = fields.get("throttled_time") or 1000 * int(fields.get("throttled_usec", 0))
    return Held(int(fields["nr_throttled"]), int(ns))


def held_since(before: Mapping[str, Held], after: Mapping[str, Held]) -> dict[str, Held]:
    """What quotas did between two readings, of the groups to which they did anything."""
    return {
        group: Held(held.times - before[group].times, held.ns - before[group].ns)
        for group, held in after.items()
        if group in before and held.times > before[group].times
    }

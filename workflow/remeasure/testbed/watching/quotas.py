"""For how long a quota of processor time held processes up: the `cpu` controller of cgroups, by
which containers are given "0.6 processors".

A process that has used its share of a period stands still until the next one. The kernel counts how
often and for how long, for the group that has the quota, which may be any group around the process
(`cpu.stat`; cgroup-v2 and sched-bwc in the kernel's documentation). A group that cannot be seen
from here is left out.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_ROOTS = {
    "2": ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"),
    "1": ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"),
}
"""version of cgroups -> where its groups may be mounted"""


class Held(NamedTuple):
    """What a quota did to one group of processes so far."""

    times: int
    """periods in which it held some of them up"""
    ns: int
    """time for which it did [ns]"""


def held_up(processes: Iterable[int]) -> dict[str, Held]:
    """The groups with a quota around these processes of this machine: folder of the group -> what
    the quota did to it since the group was made."""
    found: dict[str, Held] = {}
    folders = {folder for process in processes for folder in _groups_of(process)}
    for folder in sorted(folders):
        try:
            text = Path(folder, "cpu.stat").read_text()
        except OSError:
            continue
        fields = dict(line.split(None, 1) for line in text.splitlines() if " " in line)
        if "nr_throttled" in fields:
            ns = fields.get("throttled_time") or 1000 * int(fields.get("throttled_usec", 0))
            found[folder] = Held(int(fields["nr_throttled"]), int(ns))
    return found


def held_since(before: Mapping[str, Held], after: Mapping[str, Held]) -> dict[str, Held]:
    """What quotas did between two readings, of the groups to which they did anything."""
    moved = {
        group: Held(*(now - then for now, then in zip(held, before[group], strict=True)))
        for group, held in after.items()
        if group in before
    }
    return {group: held for group, held in moved.items() if held.times > 0}


def _groups_of(process: int) -> Iterable[str]:
    """Folders of a process's groups and of all around them, wherever they may be mounted."""
    try:
        lines = Path(f"/proc/{process}/cgroup").read_text().splitlines()
    except OSError:  # it has ended
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        version = "2" if number == "0" else "1" if "cpu" in controllers.split(",") else ""
        for root in _ROOTS.get(version, ()):
            group = path.rstrip("/")
            while group:
                yield root + group
                group = group.rpartition("/")[0]
            yield root


TELL_QUOTAS = """
function quota(folder,  line, fields) {
  while ((getline line < (folder "/cpu.stat")) > 0) {
    split(line, fields, " ")
    if (fields[1] == "nr_throttled") tell("quota", "of " folder " held processes up " fields[2])
  }
  close(folder "/cpu.stat")
}
function quotas(  line, parts, roots, count, i, group) {
  while ((getline line < "/proc/self/cgroup") > 0) {
    split(line, parts, ":"); group = parts[3]; sub(/\\/$/, "", group); count = 0
    if (parts[1] == "0") count = split("/sys/fs/cgroup /sys/fs/cgroup/unified", roots, " ")
    else if (("," parts[2] ",") ~ /,cpu,/)
      count = split("/sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct", roots, " ")
    for (; count; group = substr(group, 1, match(group, /\\/[^\\/]*$/) - 1)) {
      for (i = 1; i <= count; i++) quota(roots[i] group)
      if (group == "") break
    }
  }
  close("/proc/self/cgroup")
}
"""
"""functions of awk: `quotas` hands a line for each quota around the shell that asks to `tell`"""

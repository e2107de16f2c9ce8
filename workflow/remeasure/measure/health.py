"""How undisturbed a trial was: what else used this machine's processors meanwhile."""

import os
from collections.abc import Mapping
from pathlib import Path

from remeasure.testbed.remote import Remote, at_once

FOREIGN_LIMIT = 0.10
"""share of all cores that processes outside the lab may use before a trial is suspect"""
STEAL_LIMIT = 0.05
"""share of all cores that a hypervisor may take"""


class LoadMeter:
    """Processor time from its making to `read`, of the machine and of this process namespace."""

    def __init__(self, of_this_kernel: bool = False):
        """`of_this_kernel`: of hosts that are namespaces, whose packets are worked on in
        interrupts, which no process is charged for; `foreign` leaves interrupts out then."""
        self._of_this_kernel = of_this_kernel
        self._start = read_processors(), _ours()

    def read(self) -> dict[str, float]:
        """busy, steal, foreign: shares of all cores (0 to 1). `foreign` is what neither this
        process nor any other in its PID namespace (the guests) used."""
        start, ours0 = self._start
        busy, interrupts, steal, total = (
            now - then for now, then in zip(read_processors(), start, strict=True)
        )
        span = max(total, 1)
        # A guest that ended took its time with it: never report less than nothing.
        foreign = max(busy - interrupts * self._of_this_kernel - (_ours() - ours0), 0)
        return {
            "busy": round(busy / span, 4),
            "steal": round(steal / span, 4),
            "foreign": round(foreign / span, 4),
        }

    @staticmethod
    def doubts(health: dict[str, float]) -> list[str]:
        """Why a trial is suspect, if it is."""
        limits = {"foreign": FOREIGN_LIMIT, "steal": STEAL_LIMIT}
        return [
            f"{name} processor use {health[name]:.0%}, expected at most {limit:.0%}"
            for name, limit in limits.items()
            if health[name] > limit
        ]


class HostsMeter(LoadMeter):
    """The same of machines that are not this one, each by its own account. What of it was ours
    cannot be told there, so `foreign` is 0; of `busy` and `steal` the highest counts."""

    def __init__(self, remotes: Mapping[str, Remote]):
        self._remotes = list(remotes.values())
        self._start = self._now()

    def read(self) -> dict[str, float]:
        moved = [
            [now - then for now, then in zip(*pair, strict=True)]
            for pair in zip(self._now(), self._start, strict=True)
        ]
        return {
            "busy": round(max(busy / max(total, 1) for busy, _, _, total in moved), 4),
            "steal": round(max(steal / max(total, 1) for _, _, steal, total in moved), 4),
            "foreign": 0.0,
        }

    def _now(self) -> list[tuple[int, int, int, int]]:
        return at_once(
            lambda remote: read_processors(remote.run("head -n 1 /proc/stat")), self._remotes
        )


def read_processors(text: str | None = None) -> tuple[int, int, int, int]:
    """busy, of that in interrupts, steal, total; clock ticks since boot (proc_stat(5)); of this
    machine, or of the one whose /proc/stat begins with `text`."""
    text = text or Path("/proc/stat").read_text()
    fields = [int(f) for f in text.split("\n", 1)[0].split()[1:9]]
    user, nice, system, idle, iowait, irq, softirq, steal = fields
    return user + nice + system + irq + softirq, irq + softirq, steal, sum(fields)


def _ours() -> int:
    """Clock ticks of every process here, with the children they waited for."""
    total = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            total += sum(map(int, stat.rpartition(")")[2].split()[11:15]))
    return total

"""The core of this machine that a guest in virtual time runs on.

Its kernel and its processes take turns, and a turn that passes to another core costs several times
what it takes on one: a trial would take three times as long. What the guest does is the same on any
core.
"""

import random
import time
from collections.abc import Collection
from pathlib import Path

from remeasure.bench.lab.affinity import usable_cores
from remeasure.bench.testbed.watching.proc_stat import idle_of_processors

_WATCHED_S = 0.1
"""time for which the cores are watched [s]: ten of Linux's ticks"""
_STAT = Path("/proc/stat")


def idlest_core() -> int:
    """The one of the cores that this process may use that other work leaves idle the most."""
    cores = usable_cores()
    if len(cores) == 1:
        return cores[0]
    before = _STAT.read_text()
    time.sleep(_WATCHED_S)
    return idlest(cores, before, _STAT.read_text())


def idlest(cores: Collection[int], before: str, after: str) -> int:
    """The one of these cores that was idle longest between two readings of /proc/stat; if there are
    several, one of them by chance, for guests that start together find the same."""
    then, now = idle_of_processors(before), idle_of_processors(after)
    return max(cores, key=lambda core: (now[core] - then[core], random.random()))

"""The clock of records, which nobody can set; and changes of other clocks.

It is the wall clock at the start of this process, carried on by CLOCK_BOOTTIME (clock_gettime(2)).
Durations stay right if the wall clock is set meanwhile. A comparison of three clocks before and
after shows a set clock, or a machine that slept: only the wall clock can be set, and only
CLOCK_MONOTONIC stands still while the machine sleeps. All three are slewed alike, so their
differences otherwise stay the same for any time.
"""

import datetime
import time
from collections.abc import Callable
from typing import NamedTuple

STEP_S = 0.05
"""longest step of the wall clock, and longest sleep of the machine, that is no disturbance [s]"""
_READINGS = 5


class Clocks(NamedTuple):
    """The clocks of this machine at one moment."""

    wall: int
    """CLOCK_REALTIME [ns since the epoch]"""
    boot: int
    """CLOCK_BOOTTIME [ns]"""
    awake: int
    """CLOCK_MONOTONIC [ns]"""


def _boot_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


_ORIGIN_NS = time.time_ns() - _boot_ns()


def now_ns() -> int:
    """The time by the clock of records [ns since the epoch]."""
    return _ORIGIN_NS + _boot_ns()


def in_utc(moment_ns: int) -> str:
    """A moment [ns since the epoch] in words."""
    moment = datetime.datetime.fromtimestamp(moment_ns / 1e9, datetime.UTC)
    return moment.isoformat(timespec="seconds")


def read_clocks() -> Clocks:
    """The clocks as close to the same moment as several readings come: this process may lose its
    processor between two of them."""
    readings = []
    for _ in range(_READINGS):
        awake = time.monotonic_ns()
        clocks = Clocks(time.time_ns(), _boot_ns(), awake)
        readings.append((time.monotonic_ns() - awake, clocks))
    return min(readings)[1]


def clock_doubts(before: Clocks, after: Clocks) -> list[str]:
    """Forbidden changes of the machine's clocks between two readings, one line each."""
    passed = Clocks(*(now - then for now, then in zip(after, before, strict=True)))
    stepped, slept = (passed.wall - passed.boot) / 1e9, (passed.boot - passed.awake) / 1e9
    found = []
    if abs(stepped) > STEP_S:
        found.append(
            f"the clock of the measuring machine was set by {stepped:+.2f} s, expected at most "
            f"{STEP_S:g} s"
        )
    if slept > STEP_S:
        found.append(
            f"the measuring machine slept for {slept:.2f} s, expected at most {STEP_S:g} s"
        )
    return found


class RecordClock:
    """The clock by which a trial is recorded, here of this machine."""

    def now_ns(self) -> int:
        """The time [ns since the epoch]."""
        return now_ns()

    def watch(self) -> Callable[[], list[str]]:
        """Begin to watch it. Returns a function that lists forbidden changes since then, one line
        each."""
        clocks = read_clocks()
        return lambda: clock_doubts(clocks, read_clocks())

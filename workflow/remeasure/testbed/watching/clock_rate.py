"""Whether a host's clock went as fast as the clock of records while something was measured.

A clock that is fast makes rates and times of its host wrong by as much, and the host that shapes a
link lets more through. Neither its offset nor the time of booting tells. So a host is asked for the
time before and after (clock_offset.py), each time known to within an error; what its clock gained
beyond both errors must be no more than MOST of the time between. A clock that is disciplined by NTP
is slewed by at most half of that (500 ppm, adjtimex(2)).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from remeasure.checks import Check
from remeasure.testbed.remote import Remote, at_once
from remeasure.testbed.steady import STEP_S, now_ns
from remeasure.testbed.steady import read_clocks as read_own
from remeasure.testbed.watching.clock_offset import ask_clock, clock_offset

MOST = 0.001
"""greatest difference of rates that is no reason for rejection"""
_QUESTIONS = 10


class Reading(NamedTuple):
    """What a host's clock showed."""

    at_ns: int
    """when, by the clock of records [ns since the epoch]"""
    offset_s: float
    """host's clock less the clock of records [s]"""
    error_s: float
    """the most by which `offset_s` is wrong [s]"""
    asleep_s: float = 0
    """how long the measuring machine has slept since it booted [s]"""


def read_clocks(remotes: Mapping[str, Remote]) -> dict[str, Reading]:
    """Role -> reading, of hosts that have a clock of their own. All are asked at the same time.
    Raises CommandFailed, HostUnreachable."""
    own = {role: remote for role, remote in remotes.items() if remote.has_own_clock}
    return dict(zip(own, at_once(_read, own.values()), strict=True))


def _read(remote: Remote) -> Reading:
    clocks = read_own()
    asleep_s = (clocks.boot - clocks.awake) / 1e9
    return Reading(now_ns(), *clock_offset(ask_clock(remote, _QUESTIONS)), asleep_s)


def check_rates(before: Mapping[str, Reading], after: Mapping[str, Reading]) -> Iterable[Check]:
    """One check for each host that was read twice. None where the machine slept between, which
    makes the trial suspect (steady.py): a guest's clock stops meanwhile, another's does not."""
    for role in before.keys() & after.keys():
        first, last = before[role], after[role]
        if last.asleep_s - first.asleep_s > STEP_S:
            continue
        passed_s = (last.at_ns - first.at_ns) / 1e9
        gained, error = last.offset_s - first.offset_s, first.error_s + last.error_s
        found = f"{gained:+.4f} s in {passed_s:.1f} s, known to {error:.4f} s"
        yield Check(
            "clock-rate",
            f"{role}: its clock against the measuring machine's",
            abs(gained) - error <= MOST * passed_s,
            f"{gained / passed_s:+.2%} ({found})",
            f"at most {MOST:.1%}",
        )

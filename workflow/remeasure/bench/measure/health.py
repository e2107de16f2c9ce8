"""Whether a trial, or one run of a probe in it, was disturbed so much that it is suspect.

Each run of a probe is judged by its load. A suspect run is kept with its mark, and estimates leave
it out if the trial has another run of the same probe and levels (analysis.summaries), so that it
does not spoil its trial. A trial is suspect

- if more than a quarter of the runs that can be judged are suspect (MOST_SUSPECT). Their cause was
  then no passing event, and the other runs, close to a bound or too short to be judged, cannot be
  trusted either. A trial of one or two runs has no others, so one is too many;
- or if the load over the whole trial is beyond the bounds. This covers runs too short to be judged,
  and tunnels that are set up between runs.

A run is suspect, however short, if a guest or the harness stood still meanwhile, at once or by many
short stalls (testbed.watching.heartbeat); if a quota of processor time held it up
(remeasure.bench.testbed.watching.load); or if the machine slept or its clock was set
(testbed.record_clock). A clock that was set makes the trial suspect at any time.

Loads are counted in ticks of 10 ms. A difference of two readings is the sum of a few counts, and is
off by up to ERROR_TICKS. A run is judged if that is no more than half of the bound of foreign use,
which takes 0.3 s on two processors; a shorter one is `unjudged`, and so is one that is too short to
show short stalls by their sum.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from remeasure.bench.testbed.watching.heartbeat import OURS, STALL_S, Stall
from remeasure.bench.testbed.watching.load import Held, Load, Use

LIMITS: dict[Literal["foreign", "steal"], float] = {"foreign": 0.10, "steal": 0.05}
"""kind of load -> the share of all cores above which a trial or a run is suspect. `foreign` is the
use of other processes, `steal` the share that a hypervisor took
(remeasure.bench.testbed.watching.load)."""
STALLED = 0.02
"""share of a run for which a host may stand still, all stalls together"""
HELD = 0.01
"""share of a run for which a quota of processor time may hold processes up"""
ADDED_S = 4 * STALL_S
"""shortest run of which short stalls are added up [s]"""
MOST_SUSPECT = 0.25
"""share of the judged runs of a trial, 0 to 1, above which the trial is suspect"""
ERROR_TICKS = 3
"""error of a count over a run [ticks]: time of programs, of the kernel and of its interrupts are
each counted in whole ticks"""

RunVerdict = Literal["accepted", "suspect", "unjudged"]
"""of a run: accepted, suspect because the machine was disturbed, or too short to be judged"""


class Doubt(NamedTuple):
    """A disturbance during a run."""

    text: str
    tells: bool = True
    """whether the run was long enough to show it"""


def run_verdict(use: Use, found: Sequence[Doubt] = ()) -> RunVerdict:
    """Whether a run was disturbed. `found`: disturbances."""
    if run_reasons(use, found):
        return "suspect"
    return "accepted" if _can_tell(use) and all(one.tells for one in found) else "unjudged"


def run_reasons(use: Use, found: Sequence[Doubt] = ()) -> list[str]:
    """Reasons why a run is suspect, one line each; empty if it is not."""
    return [*(_beyond(use.load) if _can_tell(use) else []), *(d.text for d in found if d.tells)]


def stall_doubts(stalls: Sequence[Stall] | None, length_ns: int) -> list[Doubt]:
    """Hosts that stood still in a run of this length, at once or in sum: one doubt per host."""
    lengths: dict[str, list[float]] = {}
    for stall in stalls or ():
        lengths.setdefault(stall["host"], []).append(stall["ns"] / 1e9)
    together = max(STALL_S, STALLED * length_ns / 1e9)
    return [
        Doubt(
            f"{'the measuring process' if host == OURS else f'host {host}'} stood still"
            f"{f' {len(found)} times, at the longest' if len(found) > 1 else ''}"
            f" for {max(found):.2f} s"
            f"{f' and together for {sum(found):.2f} s' if len(found) > 1 else ''}"
            f", expected at most {STALL_S:g} s{f' and {together:.2f} s' if len(found) > 1 else ''}",
            max(found) > STALL_S or length_ns >= ADDED_S * 1e9,
        )
        for host, found in lengths.items()
        if max(found) > STALL_S or sum(found) > together
    ]


def quota_doubts(quotas: Mapping[str, Held], length_ns: int) -> list[Doubt]:
    """Quotas of processor time that held processes up in a run of this length: one doubt per group
    with one."""
    return [
        Doubt(
            f"a quota of processor time ({group}) held processes up {held.times} times, for "
            f"{held.ns / 1e9:.2f} s, expected at most {HELD * length_ns / 1e9:.2f} s"
        )
        for group, held in quotas.items()
        if held.ns > HELD * length_ns
    ]


def doubts(load: Load, runs: Sequence[RunVerdict] = (), events: Sequence[str] = ()) -> list[str]:
    """The reasons why a trial with this load, and these verdicts of its runs, is suspect, one line
    each; empty if it is not. `events` of runs are reasons if the trial cannot bear more of them."""
    judged = [verdict for verdict in runs if verdict != "unjudged"]
    suspect = judged.count("suspect")
    reasons = _beyond(load)
    if suspect > MOST_SUSPECT * len(judged):
        reasons.append(
            f"{suspect} of {len(judged)} runs of probes were disturbed, expected at most "
            f"{MOST_SUSPECT:.0%}"
        )
        reasons += events
    return reasons


def _can_tell(use: Use) -> bool:
    """Whether a run was long enough for its load to be known."""
    return use.ticks * LIMITS["foreign"] >= 2 * ERROR_TICKS


def _beyond(load: Load) -> list[str]:
    return [
        f"{kind} processor use {load[kind]:.0%}, expected at most {limit:.0%}"
        for kind, limit in LIMITS.items()
        if load[kind] > limit
    ]

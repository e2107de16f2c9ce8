"""The pace of the machine around trials, which trials are measured again for it, and how much it
differs within a block. Nothing here looks at a result.

Shared machines run at half their speed for minutes, and neither steal nor foreign processor use
shows it. Within a block such a stretch hits some cells and spares others. Each trial therefore has
a time of a fixed computation (testbed.watching.processor_time) before it and one after it: its pace
is their mean. Trials at another pace are measured again, once, when their block is through. If the
machine keeps its new pace, repeats change nothing, and a round refuses the block for its spread.
Nor do they where more than half of the trials are off, since the pace changes from minute to
minute: none is measured again then. In two blocks on such a machine 26 of 44 trials were. They
took 12 and 10 minutes instead of 7, and the spread of their pace went from 27 % and 20 % to 18 %.

The usual pace of a block is the median of the first attempts, the lower one of two. Later attempts
do not move it, so neither their order nor an interruption decides which trials are measured again.
The mean of the two medians would not do: it lies 9 % off either half of a block at paces 1.0 and
1.2, and no trial would be off. The lower one is the pace of a whole half; the trials of the other
half are 20 % off."""

import statistics
from collections.abc import Iterable, Mapping, Sequence

from remeasure.bench.campaign.record import TrialRecord

FROM_USUAL = 0.15
"""distance of a trial's pace from the usual pace of its block from which it is measured again, as a
share of the usual pace. Between suites 5 % matters, and one trial 15 % off moves a mean over eight
blocks by 2 %. Readings differ by 0.03 on a busy machine, so chance does not reach it"""
WITHIN = 0.1
"""difference of the times before and after a trial from which it is measured again, as a share of
the time before: the trial has no single pace. Chance reaches it in one of fifty trials if readings
differ by 0.03 on a busy machine"""
MOST = 0.5
"""share of the trials of a block that may be measured again, for two halves at two paces"""


def pace_of_trial(trial: TrialRecord) -> float | None:
    """The mean of the times before and after a trial [ns]; None unless both were recorded."""
    if "pace_ns" in trial and "pace_after_ns" in trial:
        return (trial["pace_ns"] + trial["pace_after_ns"]) / 2
    return None


def off_pace(attempts: Mapping[int, Sequence[TrialRecord]]) -> dict[int, str]:
    """Place of a trial in its block -> why it is measured again, in the order of the block, which
    was drawn at random. `attempts`: place -> finished attempts at the trial, the first one first.
    A second attempt counts whatever its pace: a machine may stay slow for hours."""
    usual = statistics.median_low(_paces(tried[0] for tried in attempts.values()) or [0.0])
    reasons = {order: _why(tried[0], usual) for order, tried in sorted(attempts.items())}
    off = {order: why for order, why in reasons.items() if why}
    if len(off) > max(MOST * len(attempts), 1):
        return {}
    return {order: why for order, why in off.items() if len(attempts[order]) == 1}


def _why(trial: TrialRecord, usual_ns: float) -> str:
    """Why a trial is measured again; empty if it is not."""
    pace = pace_of_trial(trial)
    if pace is None:
        return ""
    if abs(pace / usual_ns - 1) > FROM_USUAL:
        return f"pace: found {pace / usual_ns:.2f} times its block's, expected within {FROM_USUAL}"
    moved = trial["pace_after_ns"] / trial["pace_ns"]
    if abs(moved - 1) > WITHIN:
        return f"pace: found {moved:.2f} times as much after the trial, expected within {WITHIN}"
    return ""


def spread_of_pace(trials: Iterable[TrialRecord]) -> float:
    """The spread of the pace of trials; 0 for fewer than two trials with a pace."""
    return spread_of(_paces(trials))


def spread_of(paces: Sequence[float]) -> float:
    """The distance of the 10th percentile of these paces from the 90th, as a share of the median;
    0 for fewer than two. Four fifths of the trials of a block lie that close together. One trial in
    ten may be off, as after a second attempt. A standard deviation would not do: in a block of
    halves at 1.0 and 1.2 it is below a tenth, and this distance is a fifth."""
    if len(paces) < 2:
        return 0.0
    tenths = statistics.quantiles(paces, n=10, method="inclusive")
    return (tenths[-1] - tenths[0]) / statistics.median_low(paces)


def _paces(trials: Iterable[TrialRecord]) -> list[float]:
    return [pace for trial in trials if (pace := pace_of_trial(trial)) is not None]

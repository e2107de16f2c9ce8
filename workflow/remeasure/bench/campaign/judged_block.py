"""A finished block of a round, judged by its own record and by no result."""

import math
from collections.abc import Sequence
from statistics import median
from typing import Literal

from remeasure.bench.campaign.record import TrialRecord
from remeasure.bench.campaign.round_plan import Gate


def disturbances_of(trials: Sequence[TrialRecord], gate: Gate, usual_ns: float) -> list[str]:
    """Reasons to measure a block with these trials again, one each. `usual_ns`: the pace of round 1
    [ns]; NaN: there is none yet."""
    refused = sum(trial["verdict"] != "accepted" for trial in trials)
    share = refused / len(trials) if refused > 1 else 0.0
    pace = pace_of(trials) / usual_ns
    return gate.after(_average(trials, "foreign"), _average(trials, "steal"), pace, share)


def pace_of(trials: Sequence[TrialRecord]) -> float:
    """The median time of the fixed computation before these trials [ns]; NaN without any."""
    found = [trial["pace_ns"] for trial in trials if "pace_ns" in trial]
    return median(found) if found else math.nan


def _average(trials: Sequence[TrialRecord], kind: Literal["foreign", "steal"]) -> float:
    """A load on average over the time of these trials."""
    lengths = [trial["end_ns"] - trial["start_ns"] for trial in trials]
    loads = (trial["health"][kind] for trial in trials)
    return sum(load * ns for load, ns in zip(loads, lengths, strict=True)) / sum(lengths)

"""How long a block takes and how large its archive is: as the pilot measured blocks of its
scenario. A block of another profile is scaled probe by probe: the planned time of a probe, times
the ratio of measured to planned time in the pilot. The rest of a trial, such as its checks, keeps
its length."""

import json
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.plan import block_seconds
from remeasure.bench.campaign.scenario import Scenario

_ALIKE = 0.02
"""largest difference of planned times at which a block is taken as it was measured, 0 to 1"""
PILOT = ROOT / "data/pilot.json"
"""the blocks of a pilot as `Measured`, which outlive it"""


class Length(NamedTuple):
    """Duration and size of one block."""

    minutes: float
    """from its first trial to its last, starts of hosts included [min]"""
    megabytes: float
    """size of its archive [MB]"""
    source: str
    """where the minutes come from: measured, scaled or planned, in words"""
    guess: bool = False
    """whether the size is a guess: the median size of other blocks per planned second"""


class Measured(NamedTuple):
    """One block of a pilot."""

    scenario: str
    campaign: str
    seconds: float
    """duration [s]"""
    planned: float
    """planned duration of its probes [s]"""
    megabytes: float
    factors: Mapping[str, float]
    """probe -> measured duration of its runs over the planned one"""
    rest: float
    """time of a trial outside of runs, starts of hosts included [s]"""


def known_blocks() -> list[Measured]:
    return [Measured(**block) for block in json.loads(PILOT.read_text())["blocks"]]


def length_of(scenario: Scenario, blocks: Sequence[Measured]) -> Length:
    """Expected length of a block of a scenario; of a scenario without a block the planned time of
    its probes."""
    own = [one for one in blocks if one.scenario == scenario.name]
    planned = block_seconds(scenario)
    if not own:
        sizes = [one.megabytes / one.planned for one in blocks]
        guess = planned * statistics.median(sizes or [0.0])
        return Length(planned / 60, guess, "planned", guess=True)
    before, size, then = (
        statistics.mean(getattr(one, field) for one in own)
        for field in ("seconds", "megabytes", "planned")
    )
    exact = abs(planned / then - 1) < _ALIKE
    seconds = before if exact else statistics.mean(_scaled(scenario, one) for one in own)
    word = "measured" if exact else f"scaled by {seconds / before:.2g}"
    source = f"{word}, {len(own)} block{'s' if len(own) > 1 else ''} of {own[0].campaign}"
    return Length(seconds / 60, size * seconds / before, source)


def _scaled(scenario: Scenario, block: Measured) -> float:
    """Duration of a block of `scenario` [s], by a block of another profile."""
    usual = statistics.median(block.factors.values())
    runs = sum(
        probe.seconds() * probe.repeats * block.factors.get(name.partition(".")[0], usual)
        for cell in scenario.cells
        for name, probe in scenario.settings(cell).probes.items()
    )
    return runs + block.rest * len(scenario.cells)

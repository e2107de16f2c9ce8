"""The order of cells in a block and of probes in a trial, their duration, and the facts that a
trial needs. How long a block takes and how large its archive is follows from the pilot's blocks of
its scenario. A block of another profile is scaled probe by probe: the planned time of a probe,
times the ratio of measured to planned time in the pilot. The rest of a trial, such as its checks,
keeps its length."""

import json
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.scenario import Cell, Scenario, key_of
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.probes.base import Probe

if TYPE_CHECKING:
    from remeasure.bench.ipsec.pki import Credentials

_ALIKE = 0.02
"""largest difference of planned times at which a block is taken as it was measured, 0 to 1"""
PILOT = ROOT / "data/pilot.json"
"""the blocks of a pilot as `PilotBlock`, which outlive it"""


def block_order(scenario: Scenario, seed: int, block: int) -> list[Cell]:
    """Every cell once, in an order that depends only on the arguments: a random permutation within
    complete blocks, so that drift of the machine over time affects all cells alike."""
    cells = list(scenario.cells)
    random.Random(f"{seed}/{scenario.name}/{block}").shuffle(cells)
    return cells


def probe_order(scenario: Scenario, seed: int, block: int, cell: Cell) -> dict[str, Probe]:
    """The probes of a trial, in the scenario's order; those made by one `each` stay together, in
    random order."""
    probes = scenario.settings(cell).probes
    order = []
    for base in dict.fromkeys(name.split(".")[0] for name in probes):
        group = [name for name in probes if name.split(".")[0] == base]
        random.Random(f"{seed}/{scenario.name}/{block}/{key_of(cell)}/{base}").shuffle(group)
        order += group
    return {name: probes[name] for name in order}


def order_of_runs(probes: Mapping[str, Probe]) -> list[tuple[str, int]]:
    """Every run of the probes of a trial: the probe's name, and the number of the run from 1. The
    runs of a probe follow one another, unless it is `spread`."""
    runs = [(name, run) for name, p in probes.items() for run in range(1, p.repeats + 1)]
    for name in (name for name, probe in probes.items() if probe.spread):
        others = [one for one in runs if one[0] != name]
        at = runs.index((name, 1))
        left, more = len(others) - at, probes[name].repeats - 1
        # The last runs first, so that the places of earlier ones stay.
        for run in range(more, -1, -1):
            others.insert(at + (round(left * run / more) if more else 0), (name, run + 1))
        runs = others
    return runs


def trial_seconds(scenario: Scenario, cell: Cell) -> float:
    """Rough duration of the probes of one trial [s]."""
    return sum(p.seconds() * p.repeats for p in scenario.settings(cell).probes.values())


def block_seconds(scenario: Scenario) -> float:
    """Rough duration of the probes of one block [s]."""
    return sum(trial_seconds(scenario, cell) for cell in scenario.cells)


def require_time(what: str, seconds: float, hours: float) -> None:
    """Raises UserError if the probes of `what` take longer than `hours`: a typing error should not
    begin years of measurements."""
    if not seconds <= 3600 * hours:
        needed = f"{seconds / 3600 + 1:.0f}"
        raise UserError(
            f"{what}: its probes take about {needed} hours, expected at most {hours:g}; measure "
            f"less, or allow it: --config hours={needed}, or remeasure measure --hours {needed}"
        )


@dataclass(frozen=True)
class Task:
    """A cell, with everything that hosts must know of its scenario and campaign."""

    scenario: Scenario
    cell: Cell
    probes: Mapping[str, Probe]
    """name -> probe, in the order of this trial"""
    seed: int
    """seed of the campaign"""
    credentials: "Credentials"
    block: int = 1
    order: int = 1
    """place of the trial within its block, from 1"""

    @property
    def settings(self) -> Settings:
        return self.scenario.settings(self.cell)

    @property
    def topology(self) -> Topology:
        return self.scenario.network(self.settings)

    @property
    def origin(self) -> str:
        """Seed, scenario, block and cell, in words: the randomness of hosts without their own."""
        return f"{self.seed}/{self.scenario.name}/{self.block}/{key_of(self.cell)}"


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


class PilotBlock(NamedTuple):
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


def known_blocks() -> list[PilotBlock]:
    return [PilotBlock(**block) for block in json.loads(PILOT.read_text())["blocks"]]


def length_of(scenario: Scenario, blocks: Sequence[PilotBlock]) -> Length:
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


def _scaled(scenario: Scenario, block: PilotBlock) -> float:
    """Duration of a block of `scenario` [s], by a block of another profile."""
    usual = statistics.median(block.factors.values())
    runs = sum(
        probe.seconds() * probe.repeats * block.factors.get(name.partition(".")[0], usual)
        for cell in scenario.cells
        for name, probe in scenario.settings(cell).probes.items()
    )
    return runs + block.rest * len(scenario.cells)

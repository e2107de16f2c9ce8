"""What one trial needs to know."""

from collections.abc import Mapping
from dataclasses import dataclass

from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.scenario import Cell, Scenario, key_of
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.probes.base import Probe


@dataclass(frozen=True)
class Task:
    """A cell, with everything that hosts must know of its scenario and campaign."""

    settings: Settings
    topology: Topology
    shaped: list[str]
    """<host>.<link> of every interface that any cell of the scenario shapes; where this cell does
    not shape one of them, that interface must have no shaping"""
    probes: Mapping[str, Probe]
    """name -> probe, in the order of this trial"""
    seed: int
    """seed of the campaign"""
    credentials: Credentials
    order: int
    """place of the trial within its block, from 1"""
    origin: str
    """what makes the trial: seed, scenario, block and cell, in words; from it comes the randomness
    of hosts that have none of their own"""

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        cell: Cell,
        probes: Mapping[str, Probe],
        seed: int,
        credentials: Credentials,
        block: int = 1,
        order: int = 1,
    ) -> "Task":
        return cls(
            scenario.settings(cell),
            scenario.topology,
            scenario.shaped_places,
            probes,
            seed,
            credentials,
            order,
            f"{seed}/{scenario.name}/{block}/{key_of(cell)}",
        )

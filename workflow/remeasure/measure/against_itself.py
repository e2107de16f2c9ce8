"""Measure a cell against itself: what its two names differ by is the bench."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from remeasure.atomic import atomic_write
from remeasure.campaign.scenario import Cell, Scenario, choose_cell, load_scenario
from remeasure.campaign.staging import Staging
from remeasure.campaign.two_names import against_itself
from remeasure.errors import UserError
from remeasure.lab.testbeds import load_testbed
from remeasure.measure.block import Block, BlockOrder
from remeasure.measure.block_hosts import BlockHosts
from remeasure.measure.software import software_commit
from remeasure.paths import ROOT
from remeasure.yaml_files import parse_yaml

RESULTS = ROOT / "results" / "aa"
FEWEST_ROUNDS = 3
"""fewest rounds from which an interval says anything"""


@dataclass(frozen=True)
class AaOrder:
    """What to measure: the arguments of `remeasure aa`."""

    scenario: str
    cell: str | None
    """levels of the cell: factor=level,...; None: the first cell with IPsec, else the first"""
    probes: tuple[str, ...]
    """names of the probes to run; none: all of the cell"""
    only: Mapping[str, Sequence[str]]
    """factor within trials -> levels to run; one that is not named: all of them"""
    repeats: int | None
    """runs of each probe in a trial; None: as the scenario says"""
    settings: Mapping[str, Any]
    """settings to lay over the cell's, as a level of a factor gives them"""
    rounds: int
    """blocks of two trials, one of each name, in random order"""
    profile: str
    testbed: str
    seed: int


@dataclass(frozen=True)
class Measured:
    """What was measured, and where it is kept."""

    scenario: Scenario
    """the cell as a scenario of its own (campaign.against_itself)"""
    cell: Cell
    folder: Path
    """results/aa/<scenario>/<time>, which holds the blocks and scenario.yaml"""
    blocks: list[Path]


def settings_of(text: str) -> dict[str, Any]:
    """The settings that option --settings gives. Raises UserError if it is no mapping in YAML."""
    found = parse_yaml(Path("--settings"), text)
    if not isinstance(found, dict):
        raise UserError(f"--settings: found {text!r}, expected a mapping, such as '{{cpus: 2}}'")
    return found


def measure_against_itself(order: AaOrder) -> Measured:
    """Measure all rounds on the same hosts, one block each, into a new folder. On a lab this
    process starts anew in the lab's namespaces, and returns only there.

    Raises UserError; the rounds that were finished are kept.
    """
    if order.rounds < FEWEST_ROUNDS:
        raise UserError(f"--rounds: found {order.rounds}, expected at least {FEWEST_ROUNDS}")
    if order.repeats is not None and order.repeats < 1:
        raise UserError(f"--repeats: found {order.repeats}, expected at least 1")
    whole = load_scenario(order.scenario, order.profile)
    cell = choose_cell(whole, whole.cells, order.cell)
    scenario = against_itself(whole, cell, order.probes, order.only, order.repeats, order.settings)
    testbed, software = load_testbed(order.testbed), software_commit()

    def block(number: int, hosts: BlockHosts | None = None) -> Block:
        one = BlockOrder("aa", scenario.name, number, order.profile, order.testbed, order.seed)
        return Block(one, scenario, testbed, software, hosts)

    hosts = block(1).hosts
    hosts.require({scenario.settings(twin).wanted for twin in scenario.cells})
    folder = RESULTS / scenario.name / f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H-%M-%S}"
    folder.mkdir(parents=True)
    atomic_write(folder / "scenario.yaml", yaml.safe_dump(scenario.document, sort_keys=False))
    blocks = [folder / f"block-{number:02d}.zip" for number in range(1, order.rounds + 1)]
    with hosts:
        for number, path in enumerate(blocks, 1):
            with Staging(path) as staging:
                block(number, hosts).measure(staging)
                staging.pack()
    return Measured(scenario, cell, folder, blocks)

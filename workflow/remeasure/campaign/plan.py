"""In what order a block measures its cells."""

import random

from remeasure.campaign.scenario import Cell, Scenario


def block_order(scenario: Scenario, seed: int, block: int) -> list[Cell]:
    """Every cell once, in an order that depends on nothing but the arguments.

    Random permutation within complete blocks: drift of the machine over time hits all cells alike.
    """
    cells = list(scenario.cells)
    random.Random(f"{seed}/{scenario.name}/{block}").shuffle(cells)
    return cells


def trial_seconds(scenario: Scenario, cell: Cell) -> float:
    """Roughly how long the probes of one trial take."""
    return sum(p.seconds() * p.repeats for p in scenario.settings(cell).probes.values())

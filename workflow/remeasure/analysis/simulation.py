"""Blocks that were never measured, with an effect that is known: to see whether intervals hold it.

Every trial of a block has what real ones have: a level of the block's own, a drift through the
block, and readings (pings, seconds) that resemble the one before.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from remeasure.analysis.estimates import Estimate


@dataclass(frozen=True)
class World:
    """What trials of two cells are drawn from. Standard deviations are relative to the level."""

    effect: float = 1.0
    """second cell over the first"""
    of_block: float = 0.05
    """standard deviation of a block's level"""
    drift: float = 0.10
    """most that the level may have changed at the end of a block"""
    of_trial: float = 0.03
    """standard deviation of a trial, whatever its readings"""
    of_reading: float = 0.10
    correlation: float = 0.8
    """of a reading with the one before (first-order autoregressive)"""
    readings: int = 50
    """of a trial"""


def draw(world: World, blocks: int, random: np.random.Generator) -> np.ndarray:
    """blocks x 2 cells x readings. The order of a block's two trials is random."""
    shape = (blocks, 2, world.readings)
    noise = random.normal(0, 1, shape)
    for i in range(1, world.readings):
        noise[..., i] = (world.correlation * noise[..., i - 1]
                         + np.sqrt(1 - world.correlation**2) * noise[..., i])
    level = random.normal(0, world.of_block, (blocks, 1, 1))
    place = random.permuted(np.tile([0.25, 0.75], (blocks, 1)), axis=1)[:, :, None]
    drift = random.uniform(-world.drift, world.drift, (blocks, 1, 1)) * place
    trial = random.normal(0, world.of_trial, (blocks, 2, 1))
    base = np.array([1.0, world.effect])[None, :, None]
    return 100 * base * np.exp(level + drift + trial + world.of_reading * noise)


def coverage(world: World, blocks: int, repeats: int, seed: int,
             interval: Callable[[np.ndarray], Estimate]) -> float:
    """Share of `repeats` simulated campaigns whose interval of second cell over first holds the
    true effect. `interval` makes it from what `draw` returns."""
    random = np.random.default_rng(seed)
    held = 0
    for _ in range(repeats):
        found = interval(draw(world, blocks, random))
        held += found.low <= world.effect <= found.high
    return held / repeats

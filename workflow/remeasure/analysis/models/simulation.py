"""Simulated blocks with a known effect, to test whether intervals contain it.

Simulated trials resemble real ones: each block has its own level and drift, and each reading (a
ping, a second) resembles the previous one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit as student_quantile

from remeasure.analysis.decisions import verdict
from remeasure.analysis.estimates import Estimate, block_bootstrap, cell_jackknife, ratio


@dataclass(frozen=True)
class World:
    """The distribution of trials of two cells. Standard deviations are relative to the level."""

    effect: float = 1.0
    """true ratio of the second cell to the first"""
    of_block: float = 0.05
    """standard deviation of a block's level"""
    drift: float = 0.10
    """largest relative change of the level from the beginning to the end of a block"""
    of_trial: float = 0.03
    """standard deviation of a trial's own level"""
    of_reading: float = 0.10
    """standard deviation between readings of a trial"""
    correlation: float = 0.8
    """correlation of a reading with the one before (first-order autoregressive)"""
    readings: int = 50
    """number of readings of a trial"""


def draw(world: World, campaigns: int, blocks: int, seed: int) -> np.ndarray:
    """Array of shape (campaigns, blocks, 2 cells, readings). The two trials of a block are in
    random order."""
    random = np.random.default_rng(seed)
    shape = (campaigns, blocks, 2, world.readings)
    noise = random.normal(0, 1, shape)
    for i in range(1, world.readings):
        noise[..., i] = (
            world.correlation * noise[..., i - 1]
            + np.sqrt(1 - world.correlation**2) * noise[..., i]
        )
    level = random.normal(0, world.of_block, (campaigns, blocks, 1, 1))
    place = random.permuted(np.tile([0.25, 0.75], (campaigns, blocks, 1)), axis=2)[..., None]
    drift = random.uniform(-world.drift, world.drift, (campaigns, blocks, 1, 1)) * place
    trial = random.normal(0, world.of_trial, (campaigns, blocks, 2, 1))
    base = np.array([1.0, world.effect])[:, None]
    return 100 * base * np.exp(level + drift + trial + world.of_reading * noise)


def of_blocks(data: np.ndarray) -> Estimate:
    """The estimate as claims are tested: trial means, Student's interval over blocks. `data` is one
    campaign of `draw`, of shape (blocks, 2 cells, readings)."""
    return cell_jackknife(data.mean(axis=2), lambda means: means[1] - means[0], logarithms=True)


def of_bootstrap(data: np.ndarray) -> Estimate:
    """The estimate as the notebook psk_rsa makes it: whole blocks resampled."""
    return block_bootstrap(data.mean(axis=2), ratio)


def of_readings(data: np.ndarray) -> Estimate:
    """The estimate as if every reading were a replicate: Welch's interval over all readings."""
    one, two = np.log(data[:, 0]).ravel(), np.log(data[:, 1]).ravel()
    half = student_quantile(len(one) + len(two) - 2, 0.975) * np.sqrt(
        one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two)
    )
    middle = two.mean() - one.mean()
    value, low, high = np.exp([middle, middle - half, middle + half])
    return Estimate(value, low, high, len(one))


def coverage(
    world: World,
    blocks: int,
    campaigns: int,
    seed: int,
    interval: Callable[[np.ndarray], Estimate] = of_blocks,
) -> float:
    """Share of simulated campaigns whose interval contains the true effect, 0 to 1."""
    found = [interval(data) for data in draw(world, campaigns, blocks, seed)]
    return float(np.mean([one.low <= world.effect <= one.high for one in found]))


def verdict_shares(
    world: World, blocks: int, campaigns: int, seed: int, expect: str
) -> dict[str, float]:
    """Share of simulated campaigns that reach each verdict, 0 to 1: verdict -> share."""
    found = [verdict(of_blocks(data), expect) for data in draw(world, campaigns, blocks, seed)]
    return {
        name: found.count(name) / campaigns for name in ("supported", "refuted", "inconclusive")
    }

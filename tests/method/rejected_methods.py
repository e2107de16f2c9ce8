"""Methods that look right and are not, tried on simulated truth as ours are. They are why a verdict
on an extreme is one on all levels, why a shape is tested by its departures from a line, and why the
block is the unit. Each returns, for campaigns whose truth is known, the share of intervals that
include it and the share of false verdicts, 0 to 1."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from residuals import Noise
from scipy.special import stdtrit as student_quantile
from simulation import line

from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.selection import select


def plug_in_smallest(
    noise: Noise, ratios: Question, campaigns: int, blocks: int, seed: int
) -> tuple[float, float]:
    """The smallest of the `ratios`, with the jackknife's interval of that number. The truth is 1 at
    every level. False is: the smallest differs from 1."""
    used, asked, _ = select(ratios, noise.cells, {})
    assert asked is not None
    drawn = noise.only(used).draw(campaigns, blocks, np.random.default_rng(seed)) @ asked.weights
    low, high = _jackknife(drawn, lambda values: values.mean(axis=1).min(axis=-1))
    held = ((low <= 0) & (high >= 0)).mean()
    return float(held), float(1 - held)


def explained_variance(
    noise: Noise, shape: Question, least: float, campaigns: int, blocks: int, seed: int
) -> tuple[float, float]:
    """R squared of a straight line through the means of the levels in `shape`, which should be
    above `least`, with the jackknife's interval. The levels are exactly on the measured line, so
    the truth is 1. False is: R squared is below `least`."""
    noise = noise.only(select(shape, noise.cells, {})[0])
    factor = str(shape.over)
    values = noise.around(
        line(factor)(noise.cells, noise.levels),
        noise.draw(campaigns, blocks, np.random.default_rng(seed)),
    )
    x = noise.cells[factor].to_numpy(dtype=float)
    levels = np.unique(x)
    at = (x[:, None] == levels).astype(float)
    off = levels - levels.mean()

    def squared(values: np.ndarray) -> np.ndarray:
        means = values.mean(axis=1)
        means = means - means.mean(axis=-1, keepdims=True)
        return (means @ off) ** 2 / ((means**2).sum(axis=-1) * (off @ off))

    low, high = _jackknife(values @ (at / at.sum(axis=0)), squared)
    return float(((low <= 1) & (high >= 1)).mean()), float((high < least).mean())


def readings_as_replicates(
    readings: pd.Series, campaigns: int, blocks: int, seed: int
) -> tuple[float, float]:
    """The ratio of two cells, with Welch's interval over all readings of all trials. Campaigns are
    drawn from whole trials: `readings` above 0, of one cell, with the trial as their index. The
    truth is 1. False is: the ratio differs from 1."""
    random = np.random.default_rng(seed)
    trials = np.log(readings).groupby(level=0).agg(["mean", "var", "size"]).to_numpy()
    drawn = trials[random.integers(0, len(trials), (campaigns, 2, blocks))]
    mean, within, size = np.moveaxis(drawn, -1, 0)
    n = size.sum(axis=-1)
    middle = (size * mean).sum(axis=-1) / n
    squares = ((size - 1) * within + size * (mean - middle[..., None]) ** 2).sum(axis=-1)
    errors = squares / (n - 1) / n
    half = student_quantile(n.sum(axis=-1) - 2, 0.975) * np.sqrt(errors.sum(axis=-1))
    held = (np.abs(middle[:, 1] - middle[:, 0]) <= half).mean()
    return float(held), float(1 - held)


def _jackknife(
    values: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Student's interval of a statistic of shape (campaigns,), by leaving out one block each."""
    n = values.shape[1]
    whole = statistic(values)
    less = np.array([statistic(np.delete(values, block, axis=1)) for block in range(n)])
    pseudo = n * whole - (n - 1) * less
    half = student_quantile(n - 1, 0.975) * pseudo.std(axis=0, ddof=1) / np.sqrt(n)
    return pseudo.mean(axis=0) - half, pseudo.mean(axis=0) + half

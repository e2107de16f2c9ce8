"""Whether intervals hold the true effect as often as they say, on blocks with a drift and with
readings that resemble each other; and what goes wrong when readings are taken for replicates."""

import numpy as np
import pytest
from scipy import stats

from remeasure.analysis.claims import verdict
from remeasure.analysis.estimates import Estimate, block_bootstrap, cell_jackknife, ratio
from remeasure.analysis.simulation import World, coverage, draw

REPEATS = 1000
# 95 % of 1000, give or take three standard errors of a share.
MARGIN = 0.021


def of_blocks(data: np.ndarray) -> Estimate:
    """As claims are answered: by trial means, Student's interval over blocks."""
    return cell_jackknife(data.mean(axis=2), lambda means: means[1] - means[0], logarithms=True)


def of_bootstrap(data: np.ndarray) -> Estimate:
    """As section psk-rsa has it."""
    return block_bootstrap(data.mean(axis=2), ratio)


def of_readings(data: np.ndarray) -> Estimate:
    """As if every reading were a replicate: what studies do whose p values have no end of zeros."""
    one, two = np.log(data[:, 0]).ravel(), np.log(data[:, 1]).ravel()
    half = stats.t.ppf(0.975, len(one) + len(two) - 2) * np.sqrt(
        one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two))
    middle = two.mean() - one.mean()
    return Estimate(*np.exp([middle, middle - half, middle + half]), len(one))


@pytest.mark.parametrize("blocks", [4, 5, 10])
@pytest.mark.parametrize("effect", [1.0, 1.3])
def test_blocks_hold_the_effect_as_often_as_they_say(blocks, effect):
    held = coverage(World(effect=effect), blocks, REPEATS, seed=blocks, interval=of_blocks)
    assert held == pytest.approx(0.95, abs=MARGIN)


def test_the_bootstrap_of_ten_blocks_does_too():
    held = coverage(World(), 10, 300, seed=7, interval=of_bootstrap)
    assert 0.91 <= held <= 0.98


def test_readings_as_replicates_do_not():
    held = coverage(World(), 10, REPEATS, seed=1, interval=of_readings)
    assert held < 0.75


@pytest.mark.parametrize(("expect", "true"), [("> 1", 1.0), ("< 1", 1.0), ("0.95 to 1.05", 1.05)])
def test_false_verdicts_are_rare(expect, true):
    """At the edge of what is expected, where a false verdict is likeliest, either verdict may come
    by chance: each in 2.5 of 100."""
    random = np.random.default_rng(5)
    found = [verdict(of_blocks(draw(World(effect=true), 5, random)), expect)
             for _ in range(REPEATS)]
    decided = {v: found.count(v) / REPEATS for v in ("supported", "refuted")}
    assert max(decided.values()) <= 0.05
    assert sum(decided.values()) <= 0.05 + MARGIN


def test_a_real_effect_is_found():
    random = np.random.default_rng(6)
    found = [verdict(of_blocks(draw(World(effect=1.3), 5, random)), "> 1") for _ in range(200)]
    assert found.count("supported") / 200 > 0.9

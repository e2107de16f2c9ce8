"""Whether intervals hold the true effect as often as they say, on blocks with a drift and with
readings that resemble each other; and what goes wrong when readings are taken for replicates. The
same at full size is in the notebook `calibration`."""

import pytest

from remeasure.analysis.models.simulation import (
    World,
    coverage,
    of_bootstrap,
    of_readings,
    verdict_shares,
)

CAMPAIGNS = 1000
# 95 % of 1000, give or take three standard errors of a share.
MARGIN = 0.021


@pytest.mark.parametrize("blocks", [4, 5, 10])
@pytest.mark.parametrize("effect", [1.0, 1.3])
def test_blocks_hold_the_effect_as_often_as_they_say(blocks, effect):
    held = coverage(World(effect=effect), blocks, CAMPAIGNS, seed=blocks)
    assert held == pytest.approx(0.95, abs=MARGIN)


def test_the_bootstrap_of_ten_blocks_does_too():
    held = coverage(World(), 10, 300, seed=7, interval=of_bootstrap)
    assert 0.91 <= held <= 0.98


def test_readings_as_replicates_do_not():
    held = coverage(World(), 10, CAMPAIGNS, seed=1, interval=of_readings)
    assert held < 0.75


@pytest.mark.parametrize(("expect", "true"), [("> 1", 1.0), ("< 1", 1.0), ("0.95 to 1.05", 1.05)])
def test_false_verdicts_are_rare(expect, true):
    """At the edge of what is expected, where a false verdict is likeliest, either verdict may come
    by chance: each in 2.5 of 100."""
    shares = verdict_shares(World(effect=true), 5, CAMPAIGNS, seed=5, expect=expect)
    assert max(shares["supported"], shares["refuted"]) <= 0.05
    assert shares["supported"] + shares["refuted"] <= 0.05 + MARGIN


def test_a_real_effect_is_found():
    assert verdict_shares(World(effect=1.3), 5, 200, seed=6, expect="> 1")["supported"] > 0.9

"""Minutes and megabytes of a block: measured, scaled by the planned time of probes, or planned."""

import pytest
from small_scenario import PING, scenario

from remeasure.bench.campaign.plan import PilotBlock, block_seconds, known_blocks, length_of


def measured(name, seconds, planned, megabytes=1.0):
    return PilotBlock(name, "a", seconds, planned, megabytes, {"p": seconds / planned}, 0)


def test_minutes_are_measured_scaled_or_planned():
    small = scenario()
    planned = block_seconds(small)
    own = [measured(small.name, 60, planned), measured(small.name, 120, planned, 3)]
    found = length_of(small, [*own, measured("other", 5, 5)])
    assert found == (1.5, 2.0, "measured, 2 blocks of a", False)
    half = measured(small.name, 60, planned / 2, 2)
    found = length_of(small, [half])
    assert found == (pytest.approx(2), pytest.approx(4), "scaled by 2, 1 block of a", False)
    others = [measured("other", 9, 10, size) for size in (1, 2, 30)]
    expected = (pytest.approx(planned / 60), pytest.approx(0.2 * planned), "planned", True)
    assert length_of(small, others) == expected
    assert length_of(small, []) == (pytest.approx(planned / 60), 0, "planned", True)


def test_a_block_is_scaled_probe_by_probe():
    """`p` takes half of its planned time, and a probe that was not there what is usual."""
    long = PING | {"count": 3 * PING["count"]}
    before, after = (scenario(probes=probes) for probes in ({"p": PING}, {"p": long, "q": PING}))
    cells, short = len(after.cells), block_seconds(before)
    block = PilotBlock(before.name, "a", 0.5 * short + 2 * cells, short, 1, {"p": 0.5}, 2)
    runs = 0.5 * block_seconds(after)
    found = length_of(after, [block])
    assert found.minutes == pytest.approx((runs + 2 * cells) / 60)
    assert found.source.startswith("scaled by ")


def test_blocks_of_the_pilot_are_known():
    psk = [one for one in known_blocks() if one.scenario == "psk-rsa"]
    assert len(psk) == 2
    assert all(15 < one.seconds / 60 < 20 for one in psk)

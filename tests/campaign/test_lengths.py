"""Minutes and megabytes of a block: measured, scaled by the planned time of probes, or planned."""

import pytest
from small_scenario import PING, scenario

from remeasure.bench.campaign.lengths import (
    Measured,
    length_of,
    measured_blocks,
    released_campaigns,
    seconds_of,
)
from remeasure.bench.campaign.plan import block_seconds

SECOND = 10**9


def measured(name, campaign, seconds, planned, megabytes=1.0):
    return Measured(name, campaign, seconds, planned, megabytes)


def test_minutes_are_measured_scaled_or_planned():
    small = scenario()
    planned = block_seconds(small)
    own = [measured(small.name, "a", 60, planned), measured(small.name, "a", 120, planned, 3)]
    found = length_of(small, [*own, measured("other", "a", 5, 5)])
    assert found == (1.5, 2.0, "measured, 2 blocks of a", False)
    half = measured(small.name, "b", 60, planned / 2, 2)
    assert length_of(small, [*own, half]) == (2.0, 4.0, "scaled by 2, 1 block of b", False)
    others = [measured("other", "a", 9, 10, size) for size in (1, 2, 30)]
    expected = (pytest.approx(planned / 60), pytest.approx(0.2 * planned), "planned", True)
    assert length_of(small, others) == expected
    assert length_of(small, []) == (pytest.approx(planned / 60), 0, "planned", True)
    old = [measured(small.name, "a", 60, planned, float("nan")), *others]
    expected = (1.0, pytest.approx(0.2 * planned), "measured, 1 block of a", True)
    assert length_of(small, old) == expected


def test_a_block_is_scaled_probe_by_probe():
    """`p` takes half of its planned time, and a probe that was not there what is usual."""
    long = PING | {"count": 3 * PING["count"]}
    before, after = (scenario(probes=probes) for probes in ({"p": PING}, {"p": long, "q": PING}))
    cells, short = len(after.cells), block_seconds(before)
    block = Measured(before.name, "a", 0.5 * short + 2 * cells, short, 1, {"p": 0.5}, 2)
    runs = 0.5 * block_seconds(after)
    found = length_of(after, [block])
    assert found.minutes == pytest.approx((runs + 2 * cells) / 60)
    assert found.source.startswith("scaled by ")


def test_starts_of_hosts_count_and_interruptions_do_not():
    sessions = [
        {"start_ns": 0, "end_ns": 100 * SECOND},
        {"start_ns": 103 * SECOND},
        {"start_ns": 110 * SECOND, "end_ns": 200 * SECOND},
        {"start_ns": 5000 * SECOND, "end_ns": 5010 * SECOND},
    ]
    assert seconds_of(sessions) == 100 + 3 + 7 + 90 + 10


def test_only_real_guests_tell_how_long_a_block_takes():
    found = measured_blocks(released_campaigns())
    campaigns = {one.campaign for one in found}
    assert "lab-2026-11-22" in campaigns
    assert not any(name.startswith(("virtual", "netns")) for name in campaigns)
    assert not any("qemu" in name for name in campaigns)
    psk = [one for one in found if (one.scenario, one.campaign) == ("psk-rsa", "lab-2026-11-22")]
    assert len(psk) == 10
    assert all(5 < one.seconds / 60 < 8 for one in psk)
    assert {one.campaign for one in found if one.megabytes > 0} > {"lab-2026-11-kinds"}
    assert not any(one.megabytes > 0 for one in psk)

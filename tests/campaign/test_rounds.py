"""Rounds: each block once, evenly spread, in an order that only the seed decides."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign import folder
from remeasure.bench.campaign.profiles import profile_names, profile_of
from remeasure.bench.campaign.rounds import ScenarioBlocks, campaign_rounds, draw_rounds

MINUTES = {
    "psk-rsa": (16, 14), "suite-cost": (16, 12), "receive-offload": (16, 0.5),
    "algorithm-sweep": (8, 19), "eap-methods": (8, 14.5), "replay-window": (8, 16),
    "esp-instructions": (8, 6.2), "ah-esp-ciphers": (6, 10.9), "many-tunnels": (6, 1.4),
    "calibration": (4, 11.5), "per-cpu-sas": (2, 7.3),
}  # fmt: skip
"""scenario -> blocks, and minutes of one: a campaign of about 17 hours"""
PARTS = {name: ScenarioBlocks(blocks, minutes * 60) for name, (blocks, minutes) in MINUTES.items()}
PLANS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=4),
    st.builds(ScenarioBlocks, st.integers(1, 40), st.floats(1, 6000)),
    min_size=1,
    max_size=12,
)


@given(parts=PLANS, seed=st.integers(), number=st.integers(1, 12))
def test_every_block_is_in_one_round_once(parts, seed, number):
    drawn = draw_rounds(parts, seed, number)
    assert len(drawn) == number
    in_turn: dict[str, list[int]] = {}
    for block in (block for one in drawn for block in one):
        in_turn.setdefault(block.scenario, []).append(block.number)
    assert in_turn == {name: [*range(1, part.blocks + 1)] for name, part in parts.items()}
    for name, part in parts.items():
        counts = {sum(block.scenario == name for block in one) for one in drawn}
        assert counts <= {part.blocks // number, -(-part.blocks // number)}
    assert drawn == draw_rounds(dict(reversed(parts.items())), seed, number)


@pytest.mark.parametrize("seed", range(20))
def test_rounds_are_equally_long_and_of_equally_many_blocks(seed):
    drawn = draw_rounds(PARTS, seed, 8)
    lengths = [sum(PARTS[block.scenario].seconds / 60 for block in one) for one in drawn]
    assert sum(lengths) == pytest.approx(sum(blocks * each for blocks, each in MINUTES.values()))
    assert max(lengths) - min(lengths) < 12
    assert max(map(len, drawn)) - min(map(len, drawn)) <= 2


def test_odd_blocks_are_spread_over_the_campaign():
    drawn = draw_rounds(PARTS, 1, 8)
    at = {
        name: [i for i, one in enumerate(drawn) if name in {block.scenario for block in one}]
        for name in PARTS
    }
    assert at["calibration"] in ([0, 2, 4, 6], [1, 3, 5, 7])
    assert at["per-cpu-sas"][1] - at["per-cpu-sas"][0] == 4
    assert Counter(map(len, at.values())) == {8: 7, 6: 2, 4: 1, 2: 1}


def test_the_seed_decides():
    plans = [draw_rounds(PARTS, seed, 8) for seed in range(10)]
    assert len({repr(plan) for plan in plans}) == 10
    orders = {tuple(block.scenario for block in one) for one in plans[0]}
    assert len(orders) == 8


def test_a_profile_without_rounds_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(folder, "RAW", tmp_path)
    without = next(name for name in profile_names() if profile_of(name).rounds is None)
    with pytest.raises(UserError, match=f"profile {without}: has no rounds; .* add `rounds`"):
        campaign_rounds("mine", without, 1)


def test_the_scenarios_of_a_profile_are_in_rounds(monkeypatch, tmp_path):
    monkeypatch.setattr(folder, "RAW", tmp_path)
    plan = campaign_rounds("mine", "release", 1)
    blocks = {block.scenario for one in plan.rounds for block in one}
    assert blocks == {*plan.scenarios} == {*profile_of("release").scenarios}

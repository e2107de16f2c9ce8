"""The random order of cells in a block, and of probes in a trial."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_scenario import PING, scenario

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.plan import (
    block_order,
    block_seconds,
    order_of_runs,
    probe_order,
    require_time,
)
from remeasure.bench.campaign.scenario import key_of


@given(seed=st.integers(), block=st.integers(1, 99), levels=st.integers(1, 7))
def test_a_block_has_every_cell_once_in_an_order_the_seed_decides(seed, block, levels):
    small = scenario(factors={"a": {f"l{i}": {} for i in range(levels)}, "b": {"u": {}, "v": {}}})
    order = block_order(small, seed, block)
    assert sorted(map(key_of, order)) == sorted(map(key_of, small.cells))
    assert order == block_order(small, seed, block)


def test_blocks_have_different_orders():
    orders = {tuple(map(key_of, block_order(scenario(), 1, block))) for block in range(1, 21)}
    assert len(orders) > 10


def test_each_makes_one_probe_a_combination_in_random_order():
    each = {"count": [1, 2], "pace": {"slow": {"interval": 1}, "fast": {"interval": 0.1}}}
    small = scenario(probes={"first": PING, "p": PING | {"each": each}, "last": PING})
    cell = small.cells[0]
    orders = [list(probe_order(small, 1, block, cell)) for block in range(1, 30)]
    names = ["p.1.slow", "p.1.fast", "p.2.slow", "p.2.fast"]
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(["first", *names, "last"]))}
    assert {(order[0], order[-1]) for order in orders} == {("first", "last")}
    assert len({tuple(order) for order in orders}) > 10
    probe = small.settings(cell).probes["p.2.fast"]
    assert (probe.count, probe.interval) == (2, 0.1)
    assert probe.levels == {"count": "2", "pace": "fast"}


@given(before=st.integers(0, 3), after=st.integers(0, 9), repeats=st.integers(1, 6))
def test_runs_that_are_spread_come_between_others(before, after, repeats):
    others = [f"{place}{i}" for place, n in (("b", before), ("a", after)) for i in range(n)]
    probes = dict.fromkeys(others[:before], PING) | {
        "p": PING | {"spread": True, "repeats": repeats}
    }
    small = scenario(probes=probes | dict.fromkeys(others[before:], PING))
    runs = order_of_runs(small.settings(small.cells[0]).probes)
    assert [name for name, _ in runs if name != "p"] == others
    places = [runs.index(("p", run)) for run in range(1, repeats + 1)]
    assert places == sorted(places) and places[0] == before
    between = [b - a - 1 for a, b in itertools.pairwise(places)]
    assert max(between, default=0) - min(between, default=0) <= 1
    assert sum(between) == (after if repeats > 1 else 0), "the last one ends the trial"


def test_the_place_of_each_run_that_is_spread_is_fixed():
    """Another place would change the bytes of blocks in virtual time."""
    probes = {"b": PING, "p": PING | {"spread": True, "repeats": 4}}
    small = scenario(probes=probes | dict.fromkeys(("a1", "a2", "a3", "a4", "a5"), PING))
    runs = order_of_runs(small.settings(small.cells[0]).probes)
    order = ["b", "p", "a1", "a2", "p", "a3", "p", "a4", "a5", "p"]
    assert [name for name, _ in runs] == order


def test_a_plan_of_years_is_refused():
    require_time("two days", 48 * 3600, hours=48)
    refusal = (
        "^it: its probes take about 50 hours, .* 48; .*hours=50, or remeasure measure --hours 50$"
    )
    with pytest.raises(UserError, match=refusal):
        require_time("it", 49 * 3600, hours=48)
    with pytest.raises(UserError, match="about inf hours"):
        require_time("it", float("inf"), hours=48)
    long = scenario(probes={"p": PING | {"count": 65_535, "repeats": 10_000}})
    assert block_seconds(long) > 6 * 10**8

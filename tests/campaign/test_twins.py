"""A cell under two names: only the names differ, and what was not asked for is left out."""

import pytest
from small_scenario import PING, scenario

from remeasure.campaign.scenario import choose_cell, key_of
from remeasure.campaign.two_names import against_itself
from remeasure.errors import UserError

FACTORS = {
    "a": {"x": {}, "y": {"probes": {"p": {"count": 7}, "q": PING}}},
    "b": {"u": {}, "v": {"shaping": {"gw1.wan": {"rate": "1mbit"}}}},
}
WHOLE = scenario(factors=FACTORS, only={"a": ["x"]})


def test_the_two_names_have_the_settings_of_the_cell():
    cell = choose_cell(WHOLE, WHOLE.cells, "a=y,b=v")
    twins = against_itself(WHOLE, cell)
    assert [key_of(twin) for twin in twins.cells] == ["twin=a a=y b=v", "twin=b a=y b=v"]
    assert [twins.settings(twin) for twin in twins.cells] == [WHOLE.settings(cell)] * 2


def test_probes_are_left_out_wherever_they_are_set():
    cell = choose_cell(WHOLE, WHOLE.cells, "a=y")
    twins = against_itself(WHOLE, cell, ("p",))
    settings = twins.settings(twins.cells[0])
    assert list(settings.probes) == ["p"] and settings.probes["p"].count == 7


def test_settings_are_laid_over_those_of_the_cell():
    cell = choose_cell(WHOLE, WHOLE.cells, "a=y,b=v")
    over = {"shaping": {"gw1.wan": {"netem": "loss 1%"}}, "probes": {"p": {"count": 9}}}
    twins = against_itself(WHOLE, cell, settings=over)
    for settings in map(twins.settings, twins.cells):
        assert (settings.probes["p"].count, list(settings.probes)) == (9, ["p", "q"])
        shaping = settings.shaping["gw1.wan"]
        assert (shaping.rate, shaping.netem) == ("1mbit", "loss 1%")
    assert [key_of(twin) for twin in twins.cells] == ["twin=a a=y b=v", "twin=b a=y b=v"]
    with pytest.raises(UserError, match="--settings: cell .*: shaping.gw9.wan: no such interface"):
        against_itself(WHOLE, cell, settings={"shaping": {"gw9.wan": {"rate": "1mbit"}}})


def test_what_is_not_there_is_named():
    cell = WHOLE.cells[0]
    with pytest.raises(UserError, match="--probes: found q, expected probes of cell a=x b=u.*: p"):
        against_itself(WHOLE, cell, ("q",))
    with pytest.raises(UserError, match="--cell a=z: no such cell of small; known: a=x b=u;"):
        choose_cell(WHOLE, WHOLE.cells, "a=z")
    other = scenario(factors={"twin": {"x": {}}})
    with pytest.raises(UserError, match="factors.twin: `remeasure aa` needs this name"):
        against_itself(other, other.cells[0])


def test_levels_within_trials_are_left_out():
    each = {"count": [3, 5], "pace": {"slow": {"interval": 1}, "fast": {"interval": 0.1}}}
    whole = scenario(probes={"echo": PING | {"each": each}, "other": PING})
    kept = against_itself(
        whole, whole.cells[0], only={"count": ["3"], "pace": ["fast"]}
    ).settings_where(twin="a")
    assert list(kept.probes) == ["echo.3.fast", "other"]
    with pytest.raises(UserError, match="--only count: found 4, expected levels of it: 3, 5"):
        against_itself(whole, whole.cells[0], only={"count": ["3", "4"]})

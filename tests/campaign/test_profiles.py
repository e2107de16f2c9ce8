"""A profile is a line of config/profiles.yaml."""

import re

import pytest

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign import profiles as module
from remeasure.bench.campaign.profiles import Profiles, profile_of, under_profile


@pytest.fixture
def known(monkeypatch):
    """Three profiles: overnight is like quick, which is like none."""
    found = config.validate(
        Profiles, {"smoke": {}, "quick": {}, "overnight": {"like": "quick"}}, "profiles.yaml"
    )
    monkeypatch.setattr(module, "profiles", lambda: found)


@pytest.mark.parametrize(
    ("profile", "chosen"),
    [
        ("smoke", {"blocks": 1, "probes": {"p": {"count": 3}}, "only": {"a": ["x"]}}),
        ("quick", {"blocks": 2, "probes": {"p": {"count": 3}}, "only": {}}),
        ("overnight", {"blocks": 2, "probes": {"p": {"count": 9}}, "only": {}}),
    ],
)
def test_a_value_by_profile(known, profile, chosen):
    document = {
        "blocks": {"smoke": 1, "quick": 2},
        "probes": {"p": {"count": {"smoke": 3, "quick": 3, "overnight": 9}}},
        "only": {"smoke": {"a": ["x"]}, "quick": {}},
    }
    assert under_profile(document, profile) == chosen


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"probes": {"p": {"count": {"smoke": 1}}}},
            "probes.p.count: no value for profile overnight; found smoke; give one, or a field "
            "`like` of overnight in profiles.yaml",
        ),
        (
            {"blocks": {"smoke": 1, "quick": 2, "quikc": 3}},
            "blocks: found smoke, quick, which are profiles, and quikc, which are not; expected "
            "values by profile, or no name of a profile",
        ),
    ],
)
def test_no_value_is_one_clear_message(known, document, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        under_profile(document, "overnight")


@pytest.mark.parametrize(
    ("blocks", "night", "later"),
    [
        ({"smoke": 1, "quick": 6}, 2, 2),
        ({"smoke": 1, "night": 4}, 4, 4),
        ({"smoke": 1, "quick": 6, "later": 3}, 2, 3),
        (5, 2, 2),
    ],
)
def test_a_profile_gives_its_blocks_in_its_line(monkeypatch, blocks, night, later):
    """It takes the number of no other profile, unless the scenario has one under its own name."""
    document = {"smoke": {}, "quick": {}, "night": {"like": "quick", "blocks": 2}}
    found = config.validate(Profiles, document | {"later": {"like": "night"}}, "profiles.yaml")
    monkeypatch.setattr(module, "profiles", lambda: found)
    assert under_profile({"blocks": blocks}, "night") == {"blocks": night}
    assert under_profile({"blocks": blocks}, "later") == {"blocks": later}


def test_a_profile_compiles_as_the_one_that_it_is_like(monkeypatch):
    document = {"a": {"compile": False}, "b": {"like": "a"}, "c": {"like": "b", "compile": True}}
    document |= {"d": {}}
    found = config.validate(Profiles, document, "profiles.yaml")
    monkeypatch.setattr(module, "profiles", lambda: found)
    assert [profile_of(name).compile for name in found.root] == [False, False, True, True]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "no profile; expected at least one"),
        ({"a": {"like": "b"}}, "a.like: no profile 'b'; known: a"),
        ({"a": {"like": "b"}, "b": {"like": "a"}}, "a.like: goes round: a like b like a"),
        ({"a": {"like": "a"}}, "a.like: goes round: a like a"),
        ({"a": {"lik": "a"}}, "a.lik: unknown field"),
        ({"a": {"scenarios": ["psk"]}}, "a.scenarios: no scenario 'psk'; known: .*psk-rsa"),
        ({"a": {"rounds": 0}}, "a.rounds: .*1"),
    ],
)
def test_a_wrong_file_is_one_clear_message(document, message):
    with pytest.raises(UserError, match=message) as error:
        config.validate(Profiles, document, "profiles.yaml")
    assert "\n" not in str(error.value)

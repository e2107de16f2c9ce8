"""Claims are registered when a campaign begins to measure their scenario."""

from pathlib import Path

import pytest
import yaml
from cases import cases

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign import folder as campaign_folder
from remeasure.bench.campaign import register as register_file
from remeasure.bench.campaign.folder import freeze, rules_of, stood_before
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.claims import published as published_file
from remeasure.bench.claims.rules import PRESENT

TESTBED = {"name": "lab", "backend": "uml"}
STUDY = Path(__file__).with_name("registered-study.yaml").read_text()


@pytest.fixture
def study(tmp_path, monkeypatch):
    """The file of a study of three claims, with which campaign `mine` began."""
    monkeypatch.setattr(campaign_folder, "RAW", tmp_path / "raw")
    monkeypatch.setattr(published_file, "FOLDER", tmp_path)
    path = tmp_path / "made-up.yaml"
    path.write_text(STUDY)
    freeze("mine", [load_scenario("psk-rsa", "smoke")], 1, TESTBED, "abc")
    return path


def changed(study, before: str, after: str) -> set[str]:
    """The claims that did not stand before the data any more, once the file was changed."""
    text = study.read_text()
    assert before in text
    study.write_text(text.replace(before, after))
    standing = stood_before(study.parent / "raw/mine", "psk-rsa")
    study.write_text(text)
    assert set(standing.values()) <= {"before", "changed since"}
    return {claim for claim, words in standing.items() if words == "changed since"}


def test_a_campaign_registers_the_claims_of_its_scenario(study):
    document = yaml.safe_load((study.parent / "raw/mine/campaign.yaml").read_text())
    (registered,) = document["registered"].values()
    assert set(registered) == {"made-up-slower", "made-up-much-slower", "made-up-good"}
    assert len(set(registered.values())) == 3
    assert stood_before(study.parent / "raw/mine", "psk-rsa") == dict.fromkeys(registered, "before")


@pytest.mark.parametrize(("before", "after", "claims"), cases(__file__, "what_decides_a_claim"))
def test_what_decides_a_claim_is_registered_and_its_explanations_are_not(
    study, before, after, claims
):
    assert changed(study, before, after) == {*claims}


def test_a_later_block_leaves_the_register_as_it_was(study):
    study.write_text(STUDY.replace('expect: "> 2"', 'expect: "> 1.5"'))
    freeze("mine", [load_scenario("psk-rsa", "smoke")], 1, TESTBED, "def")
    assert changed(study, "says: It", "says: It") == {"made-up-much-slower"}


def test_a_campaign_that_began_without_a_register_gets_none(study):
    """Its first blocks may have been looked at. A scenario that it begins later is registered."""
    path = study.parent / "raw/mine/campaign.yaml"
    document = yaml.safe_load(path.read_text())
    del document["registered"]
    path.write_text(yaml.safe_dump(document))
    freeze("mine", [load_scenario("psk-rsa", "smoke")], 1, TESTBED, "def")
    assert set(stood_before(path.parent, "psk-rsa").values()) == {"no record"}
    other = STUDY.replace("scenario: psk-rsa", "scenario: calibration").replace("auth:", "arm:")
    study.write_text(other.replace("psk", "a").replace(": rsa", ": b").replace(", rsa]", ", b]"))
    freeze("mine", [load_scenario("calibration", "smoke")], 1, TESTBED, "def")
    assert set(stood_before(path.parent, "calibration").values()) == {"before"}


def test_a_claim_without_a_name_is_one_clear_line(study):
    study.write_text(STUDY.replace("id: made-up-good", "name: made-up-good"))
    with pytest.raises(UserError, match="made-up.yaml: claims.2.id: required, but not there"):
        freeze("other", [load_scenario("psk-rsa", "smoke")], 1, TESTBED, "abc")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("quantity: ratio", "quantity: mean", "claims.0.tests.0.quantity: .*found 'mean'"),
        ("metric: rtt", "metric: rrt", "claim made-up-slower: tests.1: metric: found 'rrt'"),
        ("of: {auth: rsa}", "of: {auth: dsa}", "tests.1: of.auth: no level 'dsa'; known: both,"),
        ("of: {auth: rsa}", "of: {key: rsa}", "tests.1: of: no factor 'key'; known: probe, auth"),
        ("of: {auth: rsa}", "probe: pong, of: {auth: rsa}", "probe: found 'pong', expected"),
    ],
)
def test_a_wrong_claim_is_refused_before_anything_is_measured(study, before, after, message):
    """And the campaign has not begun: mending the claim leaves no mark."""
    study.write_text(STUDY.replace(before, after, 1))
    with pytest.raises(UserError, match=message) as error:
        freeze("fresh", [load_scenario("psk-rsa", "smoke")], 1, TESTBED, "abc")
    assert "made-up.yaml" in str(error.value) and "\n" not in str(error.value)
    assert not (study.parent / "raw/fresh").exists()


def test_the_commit_that_decides_and_the_rules_are_registered(study):
    folder = study.parent / "raw/mine"
    document = yaml.safe_load((folder / "campaign.yaml").read_text())
    assert document["rules"] == PRESENT == rules_of(folder).version
    assert document["software"] == "abc" and "rules_file" not in document
    assert rules_of(RAW / "lab-2026-11-22").version == 1


def test_what_decides_only_under_later_rules_changes_no_earlier_register(study):
    document = yaml.safe_load(STUDY)["claims"][0]
    with_more = document | {"primary": document["tests"]}
    hashes = [
        [register_file.claim_hash(one, {}, rules) for one in (document, with_more)]
        for rules in (1, 2)
    ]
    assert hashes[0][0] == hashes[0][1] and hashes[1][0] != hashes[1][1]

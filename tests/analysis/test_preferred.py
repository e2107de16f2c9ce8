"""A claim that two scenarios can answer is asked of the better one that its campaign measures."""

import json
from pathlib import Path

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.register import claim_hash, register
from remeasure.bench.claims import published as published_file
from remeasure.bench.claims.published import load_published, studies_of
from remeasure.graph import inputs
from remeasure.paper.analysis.verdicts.ledger import read_ledger

STUDY = Path(__file__).with_name("preferred-study.yaml").read_text()
A, B, C = "made-up-a", "made-up-b", "made-up-c"


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setattr(published_file, "FOLDER", tmp_path)
    path = tmp_path / "made-up.yaml"
    path.write_text(STUDY)
    return path


@pytest.mark.parametrize(
    ("measured", "first", "better"),
    [
        (["psk-rsa"], [A, B, C], []),
        (["psk-rsa", "replay-window"], [C], [A, B]),
        (["replay-window"], [], [A, B]),
        (None, [A, B, C], [A, B]),
    ],
)
def test_the_scenarios_of_a_campaign_choose(study, measured, first, better):
    for scenario, expected in (("psk-rsa", first), ("replay-window", better)):
        found = [claim for one in studies_of(scenario, measured) for claim in one.claims]
        assert [claim.id for claim in found] == expected
        assert {claim.scenario for claim in found} <= {scenario}


def test_claims_are_registered_wherever_they_can_be_asked(study):
    """Their better scenario is registered with them, from version 2 of the rules on."""
    assert [{*register(scenario)} for scenario in ("psk-rsa", "replay-window")] == [
        {A, B, C},
        {A, B},
    ]
    before = [register("psk-rsa", rules) for rules in (1, 2)]
    study.write_text(STUDY.replace("[made-up-a, made-up-b]", "[made-up-c]"))
    after = [register("psk-rsa", rules) for rules in (1, 2)]
    assert before[0] == after[0]
    assert all(before[1][claim] != after[1][claim] for claim in (A, B, C))
    assert before[1][C] == claim_hash({"id": C, "says": "C.", "not_testable": "made up"}, {}, 2)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[made-up-a, made-up-b]", "[made-up-d]", "replay-window 'made-up-d', which is no claim"),
        ("[made-up-a, made-up-b]", "[made-up-a]", "made-up-b: asked of psk-rsa, and made-up-a, wh"),
        ("scenario: replay-window", "scenario: nosuch", "scenario 'nosuch': no such scenario"),
        ("    because: it has more windows\n", "", "preferred.0.because: required"),
    ],
)
def test_a_slip_is_one_line(study, before, after, message):
    assert before in STUDY
    study.write_text(STUDY.replace(before, after))
    with pytest.raises(UserError, match=message) as error:
        load_published("made-up")
    assert "\n" not in str(error.value)


def test_the_ledger_has_each_claim_once(study):
    """Campaigns of two builds may both answer it."""
    folders = [study.parent / name for name in ("a", "b", "c")]
    answers = ((A, "replay-window"), (A, "psk-rsa"), (C, "psk-rsa"))
    for folder, (claim, scenario) in zip(folders, answers, strict=True):
        folder.mkdir()
        entry = {"study": "made-up", "id": claim, "scenario": scenario}
        (folder / "claims.json").write_text(json.dumps([entry]))
    for order in (folders, folders[::-1]):
        found = {entry["id"]: entry["scenario"] for entry in read_ledger(order)}
        assert found == {A: "replay-window", C: "psk-rsa"}
    (folders[2] / "claims.json").write_text((folders[1] / "claims.json").read_text())
    with pytest.raises(UserError, match=f"claim {A} is in another notebook too"):
        read_ledger(folders[1:])


def test_a_build_knows_which_files_a_notebook_needs(study, monkeypatch):
    monkeypatch.setattr(inputs, "PUBLISHED", study.parent)
    assert inputs.studies_asked() == {"psk-rsa": {"made-up"}, "replay-window": {"made-up"}}


def test_what_weerawarna_says_of_suites_is_asked_at_a_gigabit():
    """Rates of suites, and nothing else, since larger payloads have no rate to read there. Each
    level that the better scenario has no factor for is the one at which it measures."""
    study = load_published("weerawarna")
    rates = {
        claim.id
        for claim in study.claims
        for test in claim.tests
        if test.metric == "goodput" and test.contrasted and test.contrasted <= {"suite"}
    }
    found = study.asked_of("suite-cost", ["suite-cost", "algorithm-sweep"]).claims
    assert {claim.id for claim in found} == rates
    assert all("load" not in test.where for claim in found for test in claim.tests)
    sweep = study.asked_of("algorithm-sweep", ["algorithm-sweep"]).claims
    assert all("load" in test.where for claim in sweep for test in claim.tests)


def test_another_level_than_the_fixed_one_is_one_line(tmp_path, monkeypatch):
    path = published_file.FOLDER / "weerawarna.yaml"
    monkeypatch.setattr(published_file, "FOLDER", tmp_path)
    text = path.read_text()
    (tmp_path / path.name).write_text(text.replace("{load: saturation}\n", "{load: moderate}\n", 1))
    message = "preferred.suite-cost: claim weer.*: load: found saturation, expected moderate, at"
    with pytest.raises(UserError, match=message):
        load_published("weerawarna")

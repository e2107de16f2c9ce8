"""Statements on suites in two worlds: without and with the processor's instructions."""

import pytest
from frames import frame
from test_statements import DOCUMENT, FASTER, claims, stated

from remeasure.bench.campaign.factors import Worlds, worlds_of
from remeasure.bench.campaign.scenario import Scenario
from remeasure.paper.analysis.verdicts.ledger import counted, flips, in_both_worlds
from remeasure.paper.analysis.verdicts.readable import Bench

LEVELS = {
    "none": {"instructions": {"without": ["all"]}},
    "aes": {"instructions": {"without": ["vaes"]}},
    "all": {"instructions": {"without": []}},
}
SUITES = {"a": {}, "b": {"tunnel": {"esp": "aes256-sha1"}}}
RATIO = {"quantity": "ratio", "metric": "goodput", **FASTER}
B_OVER_A = {**RATIO, "of": {"suite": "b"}, "to": {"suite": "a"}}
LEADS = {"none": 2.0, "all": 0.5, "aes": 40.0}
"""level -> goodput of suite b over suite a"""


def scenario(**levels):
    factors = {"suite": SUITES, "instructions": levels}
    return Scenario("small", DOCUMENT | {"factors": factors}, "smoke", "small.yaml")


def rates(leads):
    rows = [
        (block, f"{suite}-{level}", suite, level, (lead if suite == "b" else 1) * 10 + 0.1 * block)
        for block in range(5)
        for level, lead in leads.items()
        for suite in SUITES
    ]
    same = {"campaign": "c", "probe": "tcp", "repeat": 1, "metric": "goodput", "unit": "Mbit/s"}
    return frame("block trial suite instructions value", *rows, **same)


def judged(tmp_path, study, leads):
    bench = Bench(worlds=worlds_of(scenario(**LEVELS)))
    factors = ["suite", "instructions"]
    return stated(tmp_path, [study], rates(leads), factors, {}, bench)[0]


def test_the_worlds_are_known_by_what_levels_set():
    named = {"cold": LEVELS["none"], "half": LEVELS["aes"], "warm": LEVELS["all"]}
    assert worlds_of(scenario(**named)) == Worlds("instructions", "cold", "warm")
    assert worlds_of(scenario(none=LEVELS["none"], aes=LEVELS["aes"])) is None
    both = {name: one | {"gro": name == "all"} for name, one in LEVELS.items()}
    assert worlds_of(scenario(**both)) is None


@pytest.mark.parametrize(
    ("with_all", "words"),
    [
        (2.0, "holds with and without AES instructions"),
        (0.5, "holds only without AES instructions; with them: opposite"),
        (None, "holds only without AES instructions; with them: not testable"),
    ],
)
def test_a_statement_is_asked_in_both_worlds_and_counted_once(tmp_path, with_all, words):
    """The level between the two, where suite b is far ahead, moves neither verdict."""
    leads = {name: lead for name, lead in (LEADS | {"all": with_all}).items() if lead}
    found = judged(tmp_path, claims("own", {"tests": [B_OVER_A]}), leads)
    (entry,) = counted(found.entries)
    assert (entry["verdict"], in_both_worlds(entry)) == ("confirmed", words)
    assert entry["tests"][0]["value"] == pytest.approx(2, abs=0.05)
    assert list(found.table()["in both worlds"]) == [words]
    assert list(flips([entry])["kind"]) == (["world"] if with_all != 2 else [])


def test_a_statement_can_hold_only_with_instructions(tmp_path):
    study = claims("own", {"tests": [{**B_OVER_A, "expect": "< 1"}]})
    (entry,) = judged(tmp_path, study, LEADS).entries
    words = "holds only with AES instructions; without them: opposite"
    assert (entry["verdict"], in_both_worlds(entry)) == ("opposite", words)


def test_each_world_has_its_own_correction(tmp_path):
    """The verdicts of one world make none of the other stricter or laxer."""
    same = [{"tests": [B_OVER_A]}] * 3
    found = judged(tmp_path, claims("own", *same), LEADS | {"all": 1.01}).entries
    assert {entry["verdict"] for entry in found} == {"confirmed"}
    assert {*found[0]["choices"]["world"].values()} == {"no difference that matters"}


def test_a_question_that_names_a_level_is_asked_there_only(tmp_path):
    study = claims(
        "own",
        {"tests": [{**B_OVER_A, "where": {"instructions": "all"}, "expect": "< 1"}]},
        {"tests": [{**RATIO, "of": {"instructions": "aes"}, "to": {"instructions": "none"}}]},
        {"not_testable": "no number"},
    )
    found = judged(tmp_path, study, LEADS).entries
    assert [entry["verdict"] for entry in found] == ["confirmed", "confirmed", "not testable"]
    assert not any(map(in_both_worlds, found))


def test_one_world_changes_no_table(tmp_path):
    asked = claims("own", {"tests": [B_OVER_A]})
    found, _ = stated(tmp_path, [asked], rates(LEADS), ["suite", "instructions"], {}, Bench())
    assert "in both worlds" not in found.table() and not in_both_worlds(found.entries[0])

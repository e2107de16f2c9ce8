"""Statements of studies in a notebook: counts, other levels, suspect trials, a second study,
and two worlds, without and with the instructions of the processor."""

import itertools
import json

import pandas as pd
import pytest
from frames import frame
from made_up_study import RATIO, study

from remeasure.bench.campaign.factors import COST, Worlds, factors_that_set, worlds_of
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.claims.rules import RULES
from remeasure.paper.analysis.summaries import Tables
from remeasure.paper.analysis.verdicts.ledger import counted, flips, in_both_worlds
from remeasure.paper.analysis.verdicts.readable import BenchFacts
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.statements import Statements


def claims(name, *tests):
    return study(*tests, name=name)


OPEN, CAPPED = ({**RATIO, "where": {"link": link}} for link in ("open", "capped"))
FASTER = {"expect": "> 1", "matters": 1.05, "because": "made up"}
OWN = claims(
    "own",
    {"tests": [{**OPEN, **FASTER, "study": "2"}]},  # opposite on the capped link
    {"tests": [{**OPEN, "expect": "> 1.5", "because": "made up", "size": "> 3"}]},
    {"tests": [{**RATIO, "where": {"link": "none"}, **FASTER}]},
    {"tests": [OPEN]},
    {"not_testable": "no hardware"},
    {"tests": [{**OPEN, **FASTER}], "ours": "its table has it"},
)
TUNNEL = {"initiator": "gw1", "responder": "gw2", "link": "wan", "esp": "aes128-sha1"}
WAY = {"probe": "traceroute", "source": "client1", "target": "client2"}
DOCUMENT = {"study": "none", "title": "t", "topology": "site-to-site", "blocks": 1}
DOCUMENT |= {"tunnel": TUNNEL | {"ike": "aes128-sha1-modp2048"}, "probes": {"way": WAY}}
OTHER = claims("sixth", {"tests": [{**CAPPED, **FASTER, "expect": "< 1"}]})


def trial_values():
    """Four blocks; RSA has twice the goodput of PSK on the open link, half of it on the capped."""
    rows = []
    for block in range(4):
        slow, cells = 0.1 * block, itertools.product(("open", "capped"), ("psk", "rsa"))
        values = (10 + slow, 20.0, 20 + slow, 10.0)
        for place, (cell, value) in enumerate(zip(cells, values, strict=True)):
            rows.append((block, 4 * block + place, *cell, value * (1 + 0.01 * block)))
    same = {"campaign": "c", "probe": "tcp", "repeat": 1, "metric": "goodput", "unit": "Mbit/s"}
    return frame("block trial link auth value", *rows, **same)


def record(rules=1, **stood):
    return RULES[rules], {f"own-{number[1:]}": word for number, word in stood.items()}


def stated(tmp_path, claims_, observations, factors, others, bench, suspect=(), **stood):
    paces = dict.fromkeys(("pace_before", "pace_after"), float("nan"))
    trials = observations[["block", "trial"]].assign(verdict="accepted", **paces)
    trials.loc[trials["block"].isin(suspect), "verdict"] = "suspect"
    results = Results(tmp_path / "demo")
    summaries = observations.drop(columns=["campaign", "repeat"])
    tables = Tables({"trials": trials, "observations": observations}, factors, [])
    of = claims_, summaries, tables
    return Statements(*of, 4, results, others, *record(**stood), bench), results


def asked(tmp_path, suspect=()):
    of = [OWN, OTHER], trial_values(), ["link", "auth"], {"link": "capped"}, BenchFacts()
    return stated(tmp_path, *of, suspect, _1="before")


COUNTS = {"Claims": 5, "Confirmed": 2, "Opposite": 0, "NoDifference": 0, "NotAsStated": 0}
COUNTS |= {"Hidden": 0, "Undecided": 0, "OutsideSize": 1, "Untestable": 2}


def test_counts_are_of_the_scenarios_own_study(tmp_path):
    found, results = asked(tmp_path)
    assert found.counts() == COUNTS
    assert found.quote("Verdict", "own-1") == "confirmed; published size inside our interval"
    found.show(["Claims", "Untestable"])
    results.close()
    numbers = json.loads((results.folder / "numbers.json").read_text())
    assert [numbers[f"demo{name}"]["text"] for name in ("Claims", "Untestable")] == ["5", "2"]
    assert numbers["demoVerdict"]["source"] == "the ledger: own-1"
    assert all(one["source"] for one in numbers.values())


def test_every_study_is_shown_and_handed_over(tmp_path):
    found, results = asked(tmp_path)
    ledger = json.loads((results.folder / "claims.json").read_text())
    assert {entry["study"] for entry in ledger} == {"own", "sixth"}
    table = found.table()
    verdicts = "confirmed; confirmed (direction only); no direction; confirmed; confirmed"
    assert "; ".join(table["verdict"]) == verdicts
    assert list(table["size"]) == ["inside", "outside", "", "", ""]
    stood = {entry["id"]: entry["stood"] for entry in ledger}
    assert [stood["own-1"], stood["own-2"]] == ["before", "no record"]
    choices = {entry["id"]: entry["choices"] for entry in ledger}
    assert "opposite" in choices["own-1"]["elsewhere"].values()


def test_what_hangs_on_suspect_trials_is_named(tmp_path):
    found, _ = asked(tmp_path, suspect=[0, 1, 2])
    assert {"own-1", "own-2", "sixth-1"} <= set(flips(found.entries)["claim"])


@pytest.mark.parametrize("factor", ["suite", "cipher"])
def test_rates_that_sender_or_receiver_limited_are_not_compared(tmp_path, factor):
    """By costs of a processor, whatever they are called; authentication is no cost of a bit."""
    levels = {"a": {}, "b": {"tunnel": {"esp": "aes256-sha1"}}}
    auths = {"psk": {}, "rsa": {"tunnel": {"auth": "rsa"}}}
    document = DOCUMENT | {"factors": {factor: levels, "auth": auths}}
    costly = factors_that_set(Scenario("small", document, "smoke", "small.yaml"), COST)
    suite = {"of": {factor: "a"}, "to": {factor: "b"}}
    study = claims("own", {"tests": [{**OPEN, **suite, **FASTER}]}, {"tests": [{**OPEN, **FASTER}]})
    limits = frame(
        f"{factor} auth limit reading",
        ("a", "rsa", "receiver", "function only"),
        ("b", "psk", "sender", "function only"),
        ("b", "psk", "link", "performance"),
        block=1,
        probe="tcp",
    )
    observations = pd.concat([trial_values().assign(**{factor: level}) for level in levels])
    bench = BenchFacts(limits, costly=costly)
    of = [study], observations, ["link", "auth", factor], {}, bench
    found, _ = stated(tmp_path, *of)
    by_suite, by_auth = found.entries
    assert by_suite["verdict"] == "not testable"
    assert by_suite["reason"].startswith("function only: in 1 of 2 cells")
    assert by_auth["verdict"] == "confirmed"


LEVELS = {
    "none": {"instructions": {"without": ["all"]}},
    "aes": {"instructions": {"without": ["vaes"]}},
    "all": {"instructions": {"without": []}},
}
SUITES = {"a": {}, "b": {"tunnel": {"esp": "aes256-sha1"}}}
BETTER = {"quantity": "ratio", "metric": "goodput", **FASTER}
B_OVER_A = {**BETTER, "of": {"suite": "b"}, "to": {"suite": "a"}}
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
    bench = BenchFacts(worlds=worlds_of(scenario(**LEVELS)))
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
        {"tests": [{**BETTER, "of": {"instructions": "aes"}, "to": {"instructions": "none"}}]},
        {"not_testable": "no number"},
    )
    found = judged(tmp_path, study, LEADS).entries
    assert [entry["verdict"] for entry in found] == ["confirmed", "confirmed", "not testable"]
    assert not any(map(in_both_worlds, found))


def test_one_world_changes_no_table(tmp_path):
    asked = claims("own", {"tests": [B_OVER_A]})
    found, _ = stated(tmp_path, [asked], rates(LEADS), ["suite", "instructions"], {}, BenchFacts())
    assert "in both worlds" not in found.table() and not in_both_worlds(found.entries[0])

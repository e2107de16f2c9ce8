"""Statements of studies in a notebook: counts, other levels, suspect trials, a second study."""

import itertools
import json

import pandas as pd
import pytest
from frames import frame

from remeasure.bench.campaign.factors import COST, factors_that_set
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.rules import RULES
from remeasure.paper.analysis.summaries import Tables
from remeasure.paper.analysis.verdicts.ledger import flips
from remeasure.paper.analysis.verdicts.readable import Bench
from remeasure.paper.notebook.results import Results
from remeasure.paper.notebook.statements import Statements

RATIO = {"quantity": "ratio", "metric": "goodput", "of": {"auth": "rsa"}, "to": {"auth": "psk"}}


def claims(study, *tests):
    return Published(
        name=study,
        author="A",
        reference="r",
        scenario="psk-rsa",
        claims=[Claim(id=f"{study}-{i}", says="", **one) for i, one in enumerate(tests, 1)],
    )


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
    trials = observations[["block", "trial"]].assign(verdict="accepted")
    trials.loc[trials["block"].isin(suspect), "verdict"] = "suspect"
    results = Results(tmp_path / "demo")
    summaries = observations.drop(columns=["campaign", "repeat"])
    tables = Tables({"trials": trials, "observations": observations}, factors, [])
    of = claims_, summaries, tables
    return Statements(*of, 4, results, others, *record(**stood), bench), results


def asked(tmp_path, suspect=()):
    of = [OWN, OTHER], trial_values(), ["link", "auth"], {"link": "capped"}, Bench()
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
    bench = Bench(limits, costly=costly)
    of = [study], observations, ["link", "auth", factor], {}, bench
    found, _ = stated(tmp_path, *of)
    by_suite, by_auth = found.entries
    assert by_suite["verdict"] == "not testable"
    assert by_suite["reason"].startswith("function only: in 2 of 3 runs")
    assert by_auth["verdict"] == "confirmed"

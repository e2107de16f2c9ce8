"""Claims answered by trials, the verdicts on whole statements, and the entries of the ledger."""

import numpy as np
import pytest
from made_up_study import PSK, RATIO, RSA, SAME, STATED, ledger_of, study, summaries

from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.rules import RULES
from remeasure.paper.analysis.decisions import (
    CONFIRMED,
    INSIDE,
    NO_DIFFERENCE,
    NO_SIZE,
    NOT_AS_STATED,
    NOT_TESTABLE,
    OPPOSITE,
    OUTSIDE,
    UNDECIDED,
)
from remeasure.paper.analysis.verdicts.answers import STILL, answer
from remeasure.paper.analysis.verdicts.judging import UNDIRECTED, verdicts
from remeasure.paper.analysis.verdicts.ledger import counted, counts, effects
from remeasure.paper.analysis.verdicts.readable import BenchFacts

LESS = {**STATED, "expect": "< 1"}


def found(rsa, *claims, psk=PSK):
    both = summaries(psk, rsa)
    answers = answer(study(*claims), {"mean": both, "median": both}, RULES[1])
    return verdicts(answers, RULES[1])


@pytest.mark.parametrize(
    ("rsa", "tests", "expected"),
    [
        (RSA, [STATED], CONFIRMED),
        (RSA, [LESS], OPPOSITE),
        (RSA, [STATED, LESS], NOT_AS_STATED),
        (RSA, [STATED, {**STATED, "matters": 1.3}], NOT_AS_STATED),
        (RSA, [LESS, LESS], OPPOSITE),
        (SAME, [STATED], NO_DIFFERENCE),
        (SAME, [LESS], NO_DIFFERENCE),
        ([80.0, 110, 85, 105, 95], [STATED], UNDECIDED),
        (RSA, [RATIO], ""),
        (RSA, [STATED, RATIO], UNDECIDED),  # a part that gives no direction
    ],
)
def test_a_statement_is_confirmed_if_all_of_its_parts_are(rsa, tests, expected):
    assert found(rsa, {"tests": tests})["uncorrected"]["s-1"] == expected


@pytest.mark.parametrize(
    ("psk", "rsa", "virtual", "verdict", "at"),
    [
        (90.5, 93.7, False, UNDECIDED, STILL),
        (90.5, 93.7, True, CONFIRMED, ""),
        (4.0, 6.0, False, CONFIRMED, ""),  # messages, which are counted
    ],
)
def test_blocks_that_do_not_vary_decide_in_virtual_time_only(psk, rsa, virtual, verdict, at):
    tables = {"mean": summaries([psk] * 5, [rsa] * 5)}
    answers = answer(
        study({"tests": [STATED]}), tables, RULES[1], bench=BenchFacts(virtual=virtual)
    )
    assert verdicts(answers, RULES[1])["verdict"]["s-1"] == verdict
    assert answers.loc[0, "at"] == at
    assert [*answers.loc[0, ["low", "high"]].isna()] == [bool(at)] * 2


def test_the_correction_is_of_the_verdict_and_not_of_another_hypothesis():
    """Faster for sure (p below 0.001), and too small to matter by a narrow margin (p 0.03)."""
    factors = (1.006, 1.008, 1.007, 1.009, 1.0075)
    faster = [value * factor for value, factor in zip(PSK, factors, strict=True)]
    one = {"tests": [{**STATED, "matters": 1.0091}]}
    (alone,) = found(faster, one).to_dict("records")
    assert (alone["verdict"], 0.01 < alone["p"] < 0.05) == (NO_DIFFERENCE, True)
    assert set(found(faster, *[one] * 10)["verdict"]) == {UNDECIDED}


def test_medians_are_asked_where_the_question_says_so():
    means, medians = summaries(PSK, RSA), summaries(PSK, [2 * value for value in PSK])
    both = study(*({"tests": [{**STATED, "within": w}]} for w in ("mean", "median")))
    values = answer(both, {"mean": means, "median": medians}, RULES[1])["value"]
    assert values[1] == pytest.approx(2) and values[0] < 1.1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"matters": None}, "expected `matters`, the smallest effect that matters"),
        ({"matters": 0.9}, "matters: found 0.9, expected above 1"),
        ({"because": ""}, "expected `because`, the reason"),
        ({"expect": "> 1.2"}, "matters: found next to expect '> 1.2'"),
    ],
)
def test_a_bound_without_its_reason_is_one_clear_message(change, message):
    with pytest.raises(ValueError, match=message):
        study({"tests": [{**STATED, **change}]})


@pytest.mark.parametrize(
    ("test", "values", "reason"),
    [
        ({"metric": "godput"}, PSK, "no value of godput in these trials"),
        ({"probe": "udp"}, PSK, "no value of goodput of udp in these trials"),
        ({"to": {"auth": "pks"}}, PSK, "no value of goodput at auth pks in these trials"),
        ({"where": {"auth": "psk"}, "of": {"probe": "tcp"}, "to": {"probe": "udp"}}, PSK,
         "no value of goodput at probe udp in these trials"),
        ({}, [0.0] * 5, "goodput was 0, which has no ratio"),
        ({"quantity": "variation", "of": {"auth": "rsa"}, "to": {}, "expect": "< 1",
          "matters": None}, PSK[:1], "one block only, which does not tell how much blocks vary"),
    ],
)  # fmt: skip
def test_the_reason_is_the_true_one(test, values, reason):
    asked = study({"tests": [{**STATED, **test}]})
    (entry,) = ledger_of(asked, summaries(values, RSA[: len(values)]), {})
    assert (entry["verdict"], entry["reason"][: len(reason)]) == (NOT_TESTABLE, reason)


def test_reasons_where_there_is_no_verdict():
    ledger = ledger_of(
        study(
            {"not_testable": "no Windows here"},
            {"tests": [{**STATED, "where": {"probe": "udp"}}]},
            {"tests": [RATIO]},
            {"tests": [{**STATED, "study": "1.5"}]},
            {"tests": [STATED], "ours": "its tables have it"},
            {"tests": [STATED], "repeats": "s-4"},
            {"tests": [STATED], "circular": "the link decides"},
        ),
        summaries(PSK, RSA),
        {},
    )
    assert [(one["verdict"], one["reason"]) for one in ledger[:4]] == [
        (NOT_TESTABLE, "no Windows here"),
        (NOT_TESTABLE, "no value of goodput at probe udp in these trials"),
        (NOT_TESTABLE, UNDIRECTED),
        (CONFIRMED, ""),
    ]
    assert ledger[3]["tests"][0]["n"] == 5
    assert [entry["id"] for entry in counted(ledger)] == ["s-1", "s-2", "s-3", "s-4"]
    found = counts(ledger).loc["all"]
    assert found[found > 0].to_dict() == {
        "confirmed": 1, "not testable": 3, "statements": 4, "number outside": 1, "not counted": 3
    }  # fmt: skip


def test_what_a_study_has_is_computed_from_what_it_prints():
    claim = Claim(
        id="s-1",
        says="",
        tests=[{**RATIO, "study": "rsa / psk"}, {**RATIO, "study": "1.36"}, RATIO],
        arithmetic=[{"says": "", "values": {"psk": 2, "rsa": 5}, "formula": "rsa"}],
    )
    found = [claim.of_study(test, place) for place, test in enumerate(claim.tests)]
    assert found[:2] == [2.5, 1.36] and np.isnan(found[2])
    with pytest.raises(ValueError, match="claim s-1: study: .*md5 is not a value"):
        Claim(id="s-1", says="", tests=[{**RATIO, "study": "md5"}])


def test_effects_are_ratios_that_a_study_prints():
    ledger = ledger_of(
        study(
            {"tests": [{**STATED, "study": "1.03"}]},
            {"tests": [{**STATED, "study": "2"}, {**RATIO, "study": "1.04"}, RATIO]},
            {"tests": [{**STATED, "size": "> 2"}]},
        ),
        summaries(PSK, RSA),
        {},
    )
    table = effects(ledger)
    assert list(table["row"]) == ["1", "2 (1)", "2 (2)"]
    assert list(table["size"]) == [INSIDE, OUTSIDE, INSIDE]
    assert [one["size"] for one in ledger] == [INSIDE, OUTSIDE, OUTSIDE]
    assert NO_SIZE not in {one["size"] for one in ledger}

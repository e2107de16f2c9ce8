"""The ledger: contents of an entry, and the reason for a missing verdict."""

import numpy as np
import pytest
from made_up_study import PSK, RATIO, RSA, STATED, ledger_of, study, summaries

from remeasure.bench.base.errors import UserError
from remeasure.bench.claims.claim import Claim
from remeasure.paper.analysis.decisions import CONFIRMED, INSIDE, NO_SIZE, NOT_TESTABLE, OUTSIDE
from remeasure.paper.analysis.verdicts.judging import UNDIRECTED
from remeasure.paper.analysis.verdicts.ledger import counted, counts, effects


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


def test_a_factor_that_is_none_names_the_claim():
    asked = study({"tests": [{**RATIO, "of": {"cipher": "des"}}]})
    with pytest.raises(UserError, match="claim s-1: no factor 'cipher'"):
        ledger_of(asked, summaries(PSK, RSA), {})


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

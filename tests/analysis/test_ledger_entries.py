"""The ledger: what an entry has, and the reason where there is no verdict."""

import numpy as np
import pytest
from made_up_study import PSK, RATIO, RSA, ledger_of, study, summaries

from remeasure.analysis.claims import Claim
from remeasure.analysis.ledger import UNDIRECTED, UNMEASURED, counts, effects, size_outside
from remeasure.errors import UserError


def test_reasons_where_there_is_no_verdict():
    ledger = ledger_of(
        study(
            {"not_testable": "no Windows here"},
            {"tests": [{**RATIO, "where": {"probe": "udp"}, "expect": "> 1"}]},
            {"tests": [RATIO]},
            {"tests": [{**RATIO, "expect": "> 1"}]},
        ),
        summaries(PSK, RSA),
        {},
    )
    assert [(one["verdict"], one["reason"]) for one in ledger] == [
        ("not testable", "no Windows here"),
        ("not testable", UNMEASURED),
        ("not testable", UNDIRECTED),
        ("supported", ""),
    ]
    assert ledger[3]["tests"][0]["n"] == 5
    table = counts(ledger)
    assert table.loc["s"].to_dict() == {
        "supported": 1,
        "refuted": 0,
        "inconclusive": 0,
        "not testable": 3,
        "statements": 4,
    }
    assert table.loc["all", "statements"] == 4


def test_what_a_study_has_is_computed_from_what_it_prints():
    claim = Claim(
        id="s-1",
        says="",
        tests=[{**RATIO, "study": "rsa / psk"}, {**RATIO, "study": "1.36"}, RATIO],
        arithmetic=[{"says": "", "values": {"psk": 2, "rsa": 5}, "formula": "rsa"}],
    )
    found = [claim.of_study(place) for place in range(3)]
    assert found[:2] == [2.5, 1.36] and np.isnan(found[2])
    with pytest.raises(ValueError, match="claim s-1: study: .*md5 is not a value"):
        Claim(id="s-1", says="", tests=[{**RATIO, "study": "md5"}])


def test_a_factor_that_is_none_names_the_claim():
    asked = study({"tests": [{**RATIO, "of": {"cipher": "des"}}]})
    with pytest.raises(UserError, match="claim s-1: no factor 'cipher'"):
        ledger_of(asked, summaries(PSK, RSA), {})


def test_effects_and_sizes_are_of_what_a_study_prints():
    def test(study, low, as_ratio=True):
        high = None if low is None else low + 0.2
        return {"study": study, "value": 1.1, "low": low, "high": high, "as_ratio": as_ratio}

    def entry(name, *tests):
        return {"study": "s", "id": f"s-{name}", "verdict": "inconclusive", "tests": tests}

    ledger = [
        entry("one", test(1.1, 1.0)),
        entry("two", test(2.0, 1.0), test(1.05, 1.0), test(None, 1.0)),
        entry("none", test(1.1, None), test(5.0, 1.0, as_ratio=False)),
    ]
    table = effects(ledger)
    assert list(table["row"]) == ["one", "two (1)", "two (2)"]
    assert list(table["held"]) == [True, False, True]
    assert [size_outside(one) for one in ledger] == [False, True, True]

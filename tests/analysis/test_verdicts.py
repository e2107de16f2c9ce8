"""The ledger: what an entry has, and which choices change its verdict."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from remeasure.analysis.claims import Claim, answer, evaluate
from remeasure.analysis.ledger import HOLM, UNDIRECTED, UNMEASURED, counts, entries
from remeasure.analysis.multiverse import ACCEPTED, LATER, MEDIANS, NEAR, other_choices
from remeasure.analysis.published import Published
from remeasure.errors import UserError

RATIO = {"quantity": "ratio", "metric": "goodput", "of": {"auth": "rsa"}, "to": {"auth": "psk"}}


def study(*claims, **fields):
    return Published(
        study="s",
        reference="r",
        scenario="x",
        claims=[Claim(id=f"s-{i}", says="", **claim) for i, claim in enumerate(claims, 1)],
        **fields,
    )


def ledger_of(asked, table, choices):
    return entries(asked, answer(asked.claims, table, asked.groups), 5, choices)


def summaries(psk, rsa, metric="goodput"):
    """One trial a cell and block."""
    return pd.DataFrame(
        [
            {
                "block": block,
                "trial": 2 * block + place,
                "auth": auth,
                "probe": "tcp",
                "metric": metric,
                "unit": "Mbit/s",
                "value": value,
            }
            for place, (auth, values) in enumerate((("psk", psk), ("rsa", rsa)))
            for block, value in enumerate(values)
        ]
    )


PSK, RSA = [90.0, 94, 91, 95, 92], [93.0, 97, 95, 97, 96]


def test_the_p_value_is_that_of_the_paired_t_test():
    """Of logarithms, since a ratio is of geometric means."""
    table = answer(study({"tests": [{**RATIO, "expect": "> 1"}]}).claims, summaries(PSK, RSA), {})
    expected = stats.ttest_rel(np.log(RSA), np.log(PSK)).pvalue
    assert table["p"][0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("expect", "verdict"),
    [
        ("> 1", "supported"),
        ("< 1", "refuted"),
        ("> 1.03", "inconclusive"),
        ("1 to 1.1", "supported"),
    ],
)
def test_p_is_below_5_percent_exactly_where_the_interval_leaves_out_a_bound(expect, verdict):
    table = answer(study({"tests": [{**RATIO, "expect": expect}]}).claims, summaries(PSK, RSA), {})
    assert table["verdict"][0] == verdict
    assert (table["p"][0] < 0.05) == (verdict != "inconclusive")


def test_the_same_is_what_two_one_sided_tests_find():
    """Within bounds: statsmodels' TOST of the logarithms has the larger of its two p values, each
    one-sided, where ours is two-sided."""
    same = [90.4, 93.8, 91.3, 94.7, 92.2]
    table = answer(
        study({"tests": [{**RATIO, "expect": "0.95 to 1.05"}]}).claims, summaries(PSK, same), {}
    )
    p, *_ = ttost_paired(np.log(same), np.log(PSK), np.log(0.95), np.log(1.05))
    assert table["verdict"][0] == "supported"
    assert table["p"][0] / 2 == pytest.approx(p)


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


def test_holm_undoes_what_one_of_many_tests_found():
    many = [{"tests": [{**RATIO, "expect": "> 1"}]} for _ in range(400)]
    (alone,) = ledger_of(study(many[0]), summaries(PSK, RSA), {})
    assert alone["verdict"] == "supported" and not alone["flips"]
    crowd = ledger_of(study(*many), summaries(PSK, RSA), {})
    assert {one["verdict"] for one in crowd} == {"supported"}
    assert {one["flips"].get(HOLM) for one in crowd} == {"inconclusive"}


def test_a_choice_that_changes_a_verdict_is_named():
    (entry,) = ledger_of(
        study({"tests": [{**RATIO, "expect": "> 1"}]}),
        summaries(PSK, RSA),
        {"other": summaries(RSA, PSK), "same": summaries(PSK, RSA)},
    )
    assert entry["flips"] == {"other": "refuted"}


def test_choices_are_what_they_say():
    readings = pd.DataFrame(
        [
            {
                "block": block,
                "trial": block,
                "auth": "psk",
                "probe": "tcp",
                "repeat": repeat,
                "metric": "goodput",
                "unit": "Mbit/s",
                "value": value,
            }
            for block in range(5)
            for repeat, value in ((1, 1.0), (2, 5.0), (3, 6.0 + (block == 4)))
        ]
    )
    table = summaries([4.0, 4, 4.01, 3.99, 90], [], "goodput").assign(trial=range(5))
    derived = table.assign(metric="derived")
    trials = pd.DataFrame(
        {"block": range(5), "trial": range(5), "verdict": ["accepted"] * 4 + ["suspect"]}
    )
    choices = other_choices(trials, readings, ["auth"], pd.concat([table, derived]))
    found = {
        name: one.query("metric == 'goodput'").set_index("block")["value"].to_dict()
        for name, one in choices.items()
    }
    assert found[MEDIANS] == {0: 5, 1: 5, 2: 5, 3: 5, 4: 5}
    assert found[LATER] == {0: 5.5, 1: 5.5, 2: 5.5, 3: 5.5, 4: 6}
    assert found[ACCEPTED] == {0: 4, 1: 4, 2: 4.01, 3: 3.99}
    assert found[NEAR] == {0: 4, 1: 4, 2: 4.01, 3: 3.99}
    assert all((one["metric"] == "derived").any() for one in choices.values())


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


def test_an_estimate_is_of_the_cells_that_it_used():
    from remeasure.analysis import lineage
    from remeasure.publish.tables import interval_text

    lineage.forget_all()
    claim = study({"tests": [{**RATIO, "expect": "> 1"}]}).claims[0]
    found = evaluate(claim.tests[0], summaries(PSK, RSA), {})
    text = interval_text(found.value, found.low, found.high)
    (origin,) = lineage.origins_of_text(f"Mbit/s: {text}; and more")
    assert origin.metric == "goodput" and origin.estimate == found
    assert origin.blocks == (0, 1, 2, 3, 4)
    assert [dict(cell) for cell in origin.cells] == [
        {"auth": "psk", "probe": "tcp"},
        {"auth": "rsa", "probe": "tcp"},
    ]
    assert lineage.origins_of(found.value) == [origin] and lineage.origins_of(0.5) == []

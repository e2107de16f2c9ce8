"""Other choices of the analysis, and which of them change a verdict."""

import pandas as pd
from made_up_study import PSK, RATIO, RSA, ledger_of, study, summaries

from remeasure.analysis.ledger import HOLM
from remeasure.analysis.multiverse import ACCEPTED, LATER, MEDIANS, NEAR, other_choices


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

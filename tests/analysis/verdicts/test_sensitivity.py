"""Other choices of the analysis, and which of them change a verdict."""

import numpy as np
import pandas as pd
import pytest
from frames import frame
from made_up_study import PSK, RATIO, RSA, STATED, ledger_of, study, summaries

from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.decisions import CONFIRMED, OPPOSITE, UNDECIDED
from remeasure.paper.analysis.verdicts.choices import (
    CORRECTION,
    ESTIMATOR,
    FLIPS,
    TOO_FEW,
    UNCORRECTED,
)
from remeasure.paper.analysis.verdicts.ledger import flips
from remeasure.paper.analysis.verdicts.sensitivity import (
    ACCEPTED,
    LATER,
    NEAR,
    SWAPPED,
    other_summaries,
    with_bounds,
    with_groups,
)


def test_what_only_one_of_many_statements_found_is_named():
    crowd = ledger_of(study(*[{"tests": [STATED]}] * 60), summaries(PSK, RSA), {})
    assert {one["verdict"] for one in crowd} == {UNDECIDED}
    assert {one["choices"][CORRECTION][UNCORRECTED] for one in crowd} == {CONFIRMED}


def test_a_choice_that_changes_a_verdict_is_named():
    (entry,) = ledger_of(
        study({"tests": [STATED]}),
        summaries(PSK, RSA),
        {"other": summaries(RSA, PSK), "same": summaries(PSK, RSA)},
    )
    assert entry["choices"][ESTIMATOR] == {"other": OPPOSITE, "same": CONFIRMED, FLIPS: TOO_FEW}
    assert list(flips([entry])["choice"]) == ["other"]


def test_choices_are_what_they_say():
    rows = [
        (block, repeat, value + 900 * (block == 24) * (repeat > 1))
        for block in range(25)
        for repeat, value in ((1, 1.0), (2, 5.0 + 0.01 * (block % 3)), (3, 6.0))
    ]
    same = {"auth": "psk", "probe": "tcp", "metric": "goodput", "unit": "Mbit/s"}
    readings = frame("block repeat value", *rows, **same).assign(trial=lambda t: t["block"])
    table = summaries([4.0 + 0.01 * (block % 3) for block in range(25)], []).assign(trial=range(25))
    derived = table.assign(metric="derived")
    trials = pd.DataFrame(
        {"block": range(25), "trial": range(25), "verdict": ["accepted"] * 24 + ["suspect"]}
    )
    choices = other_summaries(trials, readings, ["auth"], pd.concat([table, derived]))

    def of(choice, within="mean"):
        one = choices[choice][within]
        assert (one["metric"] == "derived").any()
        return one.query("metric == 'goodput'").set_index("block")["value"]

    assert of(SWAPPED)[0] == 5 and of(SWAPPED, "median")[0] == 4
    assert of(LATER)[0] == 5.5
    assert set(of(ACCEPTED).index) == set(range(24))
    assert set(of(NEAR).index) == set(range(24))


@pytest.mark.parametrize("spreads", [(0.2, 0.2), (0.0015, 0.09)])
def test_normal_data_have_next_to_no_outliers(spreads):
    """A rule on five values of a cell would find some in a quarter of such cells. If a link holds
    half of the cells, they vary less: one spread for all would make outliers of the others."""
    noise = np.random.default_rng(5)
    rows = [
        (block, cell, str(cell), float(np.exp(noise.normal(cell, spreads[cell % 2]))))
        for block in range(5)
        for cell in range(40)
    ]
    same = {"probe": "p", "repeat": 1, "metric": "m", "unit": "u"}
    readings = frame("block trial cell value", *rows, **same)
    trials = readings[["block", "trial"]].assign(verdict="accepted")
    kept = other_summaries(trials, readings, ["cell"], readings.drop(columns="repeat"))[NEAR]
    assert len(kept["mean"]) >= 0.99 * len(readings)


@pytest.mark.parametrize(
    ("fields", "factor", "expected"),
    [
        ({"expect": "> 1", "matters": 1.1}, 2, ("> 1", 1.21)),
        ({"expect": "0.8 to 1.25"}, 2, ("0.640000 to 1.562500", None)),
        ({"expect": "< 1.21"}, 0.5, ("< 1.100000", None)),
        ({"quantity": "difference", "expect": "-2 to 2"}, 0.5, ("-1.000000 to 1.000000", None)),
        ({"quantity": "difference", "expect": "> 0", "matters": 3}, 0.5, ("> 0", 1.5)),
    ],
)
def test_bounds_are_scaled_about_no_effect(fields, factor, expected):
    question = {**RATIO, "because": "made up", **fields}
    (claim,) = with_bounds(study({"tests": [question]}).claims, factor)
    (test,) = claim.tests
    assert test.expect == expected[0] and test.matters == pytest.approx(expected[1])
    assert isinstance(Question(**test.model_dump()), Question), "still a valid question"


def test_other_groups_replace_those_of_their_name():
    groups = {"size": {"small": [1], "large": [2]}, "suite": {"all": ["a"]}}
    found = with_groups(groups, {"size": {"large": [2, 3]}})
    assert found == {"size": {"small": [1], "large": [2, 3]}, "suite": {"all": ["a"]}}

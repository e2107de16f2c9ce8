"""Other choices of the analysis: which of them change a verdict, and under how many it stands."""

import itertools

import numpy as np
import pandas as pd
import pytest
from frames import frame
from made_up_study import PSK, RATIO, RSA, SAME, STATED, ledger_of, study, summaries

from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.decisions import CONFIRMED, NO_DIFFERENCE, OPPOSITE, UNDECIDED
from remeasure.paper.analysis.verdicts import choices, sensitivity
from remeasure.paper.analysis.verdicts.choices import CORRECTION, ESTIMATOR, FLIPS, TOO_FEW
from remeasure.paper.analysis.verdicts.ledger import (
    by_sign_flips,
    flips,
    near_a_decision,
    stability,
    standing,
)

NO_PACE = {"pace_before": np.nan, "pace_after": np.nan}
DECIDED = {"tests": [STATED]}
"""3.5 % more: more than 1 % matters, and twice 1.8 % too"""
ALMOST = {"tests": [{**STATED, "matters": 1.0035}]}
"""of SAME: too wide for bounds of 0.35 %, and no difference that matters within 0.7 %"""


def test_what_only_one_of_many_statements_found_is_named():
    crowd = ledger_of(study(*[{"tests": [STATED]}] * 60), summaries(PSK, RSA), {})
    assert {one["verdict"] for one in crowd} == {UNDECIDED}
    assert {one["choices"][CORRECTION][choices.UNCORRECTED] for one in crowd} == {CONFIRMED}


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
    ).assign(**NO_PACE)
    found = sensitivity.other_summaries(trials, readings, ["auth"], pd.concat([table, derived]))

    def of(choice, within="mean"):
        one = found[choice][within]
        assert (one["metric"] == "derived").any()
        return one.query("metric == 'goodput'").set_index("block")["value"]

    assert of(sensitivity.SWAPPED)[0] == 5 and of(sensitivity.SWAPPED, "median")[0] == 4
    assert of(sensitivity.LATER)[0] == 5.5
    assert set(of(sensitivity.ACCEPTED).index) == set(range(24))
    assert set(of(sensitivity.NEAR).index) == set(range(24))
    assert sensitivity.PACED not in found, "released trials have no pace"


def test_costs_at_usual_pace_vary_less_and_times_stay_as_they_are():
    """Blocks of two suites, eight trials each: half of a block took 1.2 times as long."""
    noise = np.random.default_rng(3)
    rows = []
    paces = [noise.permutation([1.0, 1.2] * 8) for _ in range(8)]
    for block, trial in itertools.product(range(8), range(16)):
        pace = paces[block][trial]
        cost = (5.0 if trial % 2 else 4.0) * pace * np.exp(noise.normal(0, 0.01))
        rows += [(block, trial, str(trial % 2), pace, m, cost) for m in ("cpu_per_packet", "rtt")]
    made = frame("block trial cell pace metric value", *rows, probe="p", unit="us", repeat=1)
    ns = {"pace_before": 0.99e9 * made["pace"], "pace_after": 1.01e9 * made["pace"]}
    trials = made.assign(verdict="accepted", **ns).drop_duplicates(["block", "trial"])
    readings = made.drop(columns="pace")
    table = readings.drop(columns="repeat")
    found = sensitivity.other_summaries(trials, readings, ["cell"], table)[sensitivity.PACED]

    def spread(summaries, metric):
        chosen = summaries[summaries["metric"] == metric]
        return np.log(chosen["value"]).groupby(chosen["cell"]).std().max()

    assert spread(table, "cpu_per_packet") > 0.08
    assert spread(found["mean"], "cpu_per_packet") < 0.013
    assert spread(found["mean"], "rtt") == pytest.approx(spread(table, "rtt"))
    without = trials.assign(pace_after=np.nan)
    assert sensitivity.PACED not in sensitivity.other_summaries(without, readings, ["cell"], table)


@pytest.mark.parametrize("spreads", [(0.2, 0.2), (0.0015, 0.09)])
def test_normal_data_have_next_to_no_outliers(spreads):
    """A rule on the five values of one cell would find outliers in a quarter of normal cells. One
    spread for all cells fails too: if a link limits half of them, these vary less, and the values
    of the other cells would be outliers."""
    noise = np.random.default_rng(5)
    rows = [
        (block, cell, str(cell), float(np.exp(noise.normal(cell, spreads[cell % 2]))))
        for block in range(5)
        for cell in range(40)
    ]
    same = {"probe": "p", "repeat": 1, "metric": "m", "unit": "u"}
    readings = frame("block trial cell value", *rows, **same)
    trials = readings[["block", "trial"]].assign(verdict="accepted", **NO_PACE)
    derived = readings.drop(columns="repeat")
    kept = sensitivity.other_summaries(trials, readings, ["cell"], derived)[sensitivity.NEAR]
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
    (test,) = sensitivity.with_bounds(study({"tests": [question]}), factor).claims[0].tests
    assert test.expect == expected[0] and test.matters == pytest.approx(expected[1])
    assert isinstance(Question(**test.model_dump()), Question), "still a valid question"


def test_other_groups_replace_those_of_their_name():
    groups = {"size": {"small": [1], "large": [2]}, "suite": {"all": ["a"]}}
    found = sensitivity.with_groups(study(groups=groups), {"size": {"large": [2, 3]}})
    assert found.groups == {"size": {"small": [1], "large": [2, 3]}, "suite": {"all": ["a"]}}


def test_decided_verdicts_are_counted_by_choice_and_undecided_ones_apart():
    ledger = ledger_of(
        study(DECIDED, {**DECIDED, "repeats": "s-1"}),
        summaries(PSK, RSA),
        {"turned": summaries(RSA, PSK), "alike": summaries(PSK, SAME), "same": summaries(PSK, RSA)},
    )
    table = stability(ledger).set_index("choice")
    assert list(table.columns) == [
        *("kind", "stand", "undecided then", "too few blocks", "other", "reversed", "decided then")
    ]
    assert table.loc["same"].tolist() == [ESTIMATOR, 1, 0, 0, 0, 0, 0]
    assert table.loc["turned"].tolist() == [ESTIMATOR, 0, 0, 0, 1, 1, 0]
    assert table.loc["alike"].tolist() == [ESTIMATOR, 0, 0, 0, 1, 0, 0]
    assert table.loc[FLIPS].tolist() == [ESTIMATOR, 0, 0, 1, 0, 0, 0]
    assert standing(ledger, ESTIMATOR) == (0, 1) and standing(ledger, CORRECTION) == (1, 1)


@pytest.mark.parametrize(
    ("blocks", "statements", "then"),
    # Of six p is 1/32 at least, two-sided; of seven 1/64, and Holm's method multiplies it by 4.
    [(5, 1, TOO_FEW), (6, 1, CONFIRMED), (7, 3, CONFIRMED), (7, 4, TOO_FEW)],
)
def test_sign_flips_need_enough_blocks_after_the_correction(blocks, statements, then):
    """3.5 % more in each block: the ledger marks verdicts that sign flips could not show."""
    arms = [[value + place for place in range(2) for value in arm][:blocks] for arm in (PSK, RSA)]
    ledger = ledger_of(study(*[DECIDED] * statements), summaries(*arms), {})
    assert {(one["verdict"], by_sign_flips(one)) for one in ledger} == {(CONFIRMED, then)}


def test_undecided_verdicts_that_wider_bounds_decide_are_near_a_decision():
    ledger = ledger_of(study(ALMOST), summaries(PSK, SAME), {})
    assert near_a_decision(ledger) == 1 and standing(ledger, choices.BOUND) == (0, 0)
    assert stability(ledger).set_index("choice").loc["bounds twice as wide", "decided then"] == 1


def test_every_combination_of_choices_is_shown_of_headline_statements():
    asked = study(DECIDED, DECIDED, headline=["s-1"])
    first, second = ledger_of(asked, summaries(PSK, RSA), {"alike": summaries(PSK, SAME)})
    assert second["specifications"] == []
    shown = first["specifications"]
    assert len(shown) == 3 * 3 * 3  # estimators, bounds, corrections
    found = {(s["estimator"], s["bounds"]): s["verdict"] for s in shown}
    assert found[choices.REGISTERED, choices.REGISTERED] == CONFIRMED
    assert found["alike", choices.REGISTERED] == NO_DIFFERENCE
    assert {s["value"] for s in shown if s["estimator"] == choices.REGISTERED} == {
        first["tests"][0]["value"]
    }

"""How many decided verdicts stand under which choice; undecided ones apart."""

import pytest
from made_up_study import PSK, RSA, SAME, STATED, ledger_of, study, summaries

from remeasure.paper.analysis.decisions import CONFIRMED, NO_DIFFERENCE
from remeasure.paper.analysis.verdicts.choices import (
    BOUND,
    CORRECTION,
    ESTIMATOR,
    FLIPS,
    REGISTERED,
    TOO_FEW,
)
from remeasure.paper.analysis.verdicts.ledger import (
    by_sign_flips,
    near_a_decision,
    stability,
    standing,
)

DECIDED = {"tests": [STATED]}
"""3.5 % more: more than 1 % matters, and twice 1.8 % too"""
NEAR = {"tests": [{**STATED, "matters": 1.0035}]}
"""of SAME: too wide for bounds of 0.35 %, and no difference that matters within 0.7 %"""


def test_decided_verdicts_are_counted_by_choice_and_undecided_ones_apart():
    ledger = ledger_of(
        study(DECIDED, {**DECIDED, "repeats": "s-1"}),
        summaries(PSK, RSA),
        {"turned": summaries(RSA, PSK), "alike": summaries(PSK, SAME), "same": summaries(PSK, RSA)},
    )
    table = stability(ledger).set_index("choice")
    assert list(table.columns) == [
        *("kind", "stand", "undecided then", "too few blocks", "other", "reversed", "decided then"),
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
    """3.5 % more in each block: the ledger tells where sign flips could not show it."""
    arms = [[value + place for place in range(2) for value in arm][:blocks] for arm in (PSK, RSA)]
    ledger = ledger_of(study(*[DECIDED] * statements), summaries(*arms), {})
    assert {(one["verdict"], by_sign_flips(one)) for one in ledger} == {(CONFIRMED, then)}


def test_undecided_verdicts_that_wider_bounds_decide_are_near_a_decision():
    ledger = ledger_of(study(NEAR), summaries(PSK, SAME), {})
    assert near_a_decision(ledger) == 1 and standing(ledger, BOUND) == (0, 0)
    assert stability(ledger).set_index("choice").loc["bounds twice as wide", "decided then"] == 1


def test_every_combination_of_choices_is_shown_of_headline_statements():
    asked = study(DECIDED, DECIDED, headline=["s-1"])
    first, second = ledger_of(asked, summaries(PSK, RSA), {"alike": summaries(PSK, SAME)})
    assert second["specifications"] == []
    shown = first["specifications"]
    assert len(shown) == 3 * 3 * 3  # estimators, bounds, corrections
    found = {(s["estimator"], s["bounds"]): s["verdict"] for s in shown}
    assert found[REGISTERED, REGISTERED] == CONFIRMED
    assert found["alike", REGISTERED] == NO_DIFFERENCE
    assert {s["value"] for s in shown if s["estimator"] == REGISTERED} == {
        first["tests"][0]["value"]
    }

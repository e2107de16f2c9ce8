"""Claims answered by trials, and the verdicts on whole statements."""

import numpy as np
import pytest
from made_up_study import PSK, RATIO, RSA, SAME, STATED, study, summaries

from remeasure.paper.analysis.decisions import (
    CONFIRMED,
    INSIDE,
    NEAR,
    NO_DIFFERENCE,
    NO_SIZE,
    NOT_AS_STATED,
    OPPOSITE,
    OUTSIDE,
    UNDECIDED,
)
from remeasure.paper.analysis.verdicts.answers import STILL, answer
from remeasure.paper.analysis.verdicts.judging import verdicts
from remeasure.paper.analysis.verdicts.readable import Bench

LESS = {**STATED, "expect": "< 1"}


def found(rsa, *claims, psk=PSK):
    both = summaries(psk, rsa)
    return verdicts(answer(study(*claims), {"mean": both, "median": both}))


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
    table = found(rsa, {"tests": tests})
    assert table["uncorrected"]["s-1"] == expected
    if tests == [STATED, RATIO]:
        assert table["decided_by"]["s-1"].startswith("a part gives no direction")


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
    answers = answer(study({"tests": [STATED]}), tables, bench=Bench(virtual=virtual))
    assert verdicts(answers)["verdict"]["s-1"] == verdict
    assert answers.loc[0, "at"] == at and np.isnan(answers.loc[0, "low"]) == bool(at)


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({"study": "1.04"}, INSIDE),
        ({"study": "1.4"}, OUTSIDE),
        ({"study": "1.055"}, NEAR),  # outside [1.023, 1.047] by less than what matters, 1 %
        ({"study": "1.06"}, OUTSIDE),
        ({"expect": "0.98 to 1.02", "matters": None, "study": "1.06"}, NEAR),
        ({"size": "> 2"}, OUTSIDE),
        ({"size": "1.03 to 1.3"}, INSIDE),
        ({}, NO_SIZE),
    ],
)
def test_the_size_is_the_published_number_or_what_its_words_mean(fields, size):
    assert found(RSA, {"tests": [{**STATED, **fields}]})["size"]["s-1"] == size
    # A study has RSA at 0.38 of a PSK's rate; ours are the same within 1 %.
    assert found(SAME, {"tests": [{**LESS, "study": "0.378"}]})["size"]["s-1"] == OUTSIDE


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
    values = answer(both, {"mean": means, "median": medians})["value"]
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

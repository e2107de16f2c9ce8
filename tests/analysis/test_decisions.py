"""Verdicts and p values, against tests known from elsewhere."""

import numpy as np
import pytest
from made_up_study import PSK, RSA, STATED, study, summaries
from scipy import stats

from remeasure.bench.claims.questions import Question
from remeasure.bench.claims.rules import RULES
from remeasure.paper.analysis.decisions import (
    ALPHA,
    CONFIRMED,
    NO_DIFFERENCE,
    OPPOSITE,
    UNDECIDED,
    Evidence,
    decide,
    decide_whole,
    evidence,
)
from remeasure.paper.analysis.estimates import Estimates
from remeasure.paper.analysis.verdicts.answers import answer
from remeasure.paper.analysis.verdicts.judging import verdicts


def asked(test, rsa=RSA):
    both = summaries(PSK, rsa)
    return answer(study({"tests": [test]}), {"mean": both, "median": both}, RULES[1])


def test_the_p_value_is_that_of_the_paired_t_test():
    """Of logarithms, since a ratio is of geometric means."""
    expected = stats.ttest_rel(np.log(RSA), np.log(PSK)).pvalue
    assert verdicts(asked(STATED), RULES[1])["p"]["s-1"] == pytest.approx(expected)


@pytest.mark.parametrize("verdict", [OPPOSITE, NO_DIFFERENCE])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_one_part_decides_against_a_statement_after_a_correction_for_their_number(verdict, parts):
    """Bonferroni's: with five parts, one that is without a difference by itself is five chances."""
    for p, expected in ((0.9 * ALPHA / parts, verdict), (1.1 * ALPHA / parts, UNDECIDED)):
        one = {"opposite": 0.9, "no_difference": 0.9}
        one["opposite" if verdict == OPPOSITE else "no_difference"] = p
        evidences = [one, *[{"opposite": 0.9, "no_difference": 0.9}] * (parts - 1)]
        proof = [Evidence(np.array(0.5), *map(np.array, one.values())) for one in evidences]
        assert decide_whole(proof) == expected


def interval(low, high, df=9):
    """One contrast with this 95 % interval."""
    error = (high - low) / 2 / stats.t.ppf(0.975, df)
    return Estimates(np.array([(low + high) / 2]), np.array([error]), np.array([float(df)]))


def question(quantity, **fields):
    return Question(metric="delay", quantity=quantity, because="made up", **fields)


@pytest.mark.parametrize(
    ("low", "high", "expect", "expected"),
    [
        (1.1, 1.2, "> 0", CONFIRMED),
        (-0.1, 1.2, "> 0", UNDECIDED),
        (-1.2, -1.1, "> 0", OPPOSITE),
        (-1.2, -1.1, "< 0", CONFIRMED),
        (-0.2, 0.3, "> 0", NO_DIFFERENCE),
        (0.1, 0.3, "> 0", NO_DIFFERENCE),  # sure, and too small to matter
        (0.1, 0.6, "> 0", CONFIRMED),
        (80, 89, "< 90", CONFIRMED),
        (91, 95, "< 90", OPPOSITE),
        (-0.05, 0.02, "-0.1 to 0.1", CONFIRMED),
        (0.2, 0.3, "-0.1 to 0.1", OPPOSITE),
        (0.0, 0.3, "-0.1 to 0.1", UNDECIDED),
        (np.nan, np.nan, "> 0", UNDECIDED),
    ],
)
def test_verdicts_are_where_the_interval_lies(low, high, expect, expected):
    matters = 0.5 if expect in ("> 0", "< 0") else None
    stated = question("difference", expect=expect, matters=matters)
    assert decide(evidence(stated, interval(low, high), "max")) == expected


@pytest.mark.parametrize(("low", "expected"), [(0.81, NO_DIFFERENCE), (0.79, UNDECIDED)])
def test_what_is_small_about_1_is_a_factor_on_either_scale(low, expected):
    """An excess is a ratio of differences: a ratio, but not of logarithms."""
    stated = question("excess", expect="> 1", matters=1.25)
    assert decide(evidence(stated, interval(low, 1.24), "max")) == expected
    logarithms = interval(np.log(low), np.log(1.24))
    assert decide(evidence(stated, logarithms, "max", logarithmic=True)) == expected


def test_bounds_are_compared_in_the_unit_of_the_estimate():
    """A slope of 0.002 ms a byte is 2 ms a kilobyte."""
    stated = question("slope", expect="> 1", scale=1000)
    assert decide(evidence(stated, interval(0.0018, 0.0022), "max")) == CONFIRMED

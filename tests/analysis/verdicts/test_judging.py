"""Sizes, parts of statements, families and reasons for no verdict, asked directly."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import cases
from made_up_study import PSK, RATIO, RSA, STATED, study, summaries
from scipy import stats

from remeasure.bench.base.errors import UserError
from remeasure.bench.claims.questions import Question
from remeasure.bench.claims.rules import RULES
from remeasure.paper.analysis import decisions
from remeasure.paper.analysis.decisions import (
    CONFIRMED,
    HIDDEN,
    OPPOSITE,
    CorrectedFamily,
    Evidence,
    combine,
)
from remeasure.paper.analysis.estimates import Estimate, Estimates
from remeasure.paper.analysis.evaluation import Answer
from remeasure.paper.analysis.verdicts import answers, judging
from remeasure.paper.analysis.verdicts.readable import NO_TIME, BenchFacts

EFFECTS, SIZES, WHOLES, COLUMNS = (
    cases(__file__, name) for name in ("effects", "sizes", "wholes", "columns")
)
STUDIED = {**STATED, "study": "1.5"}
BOTH = dict.fromkeys(("mean", "median"), summaries(PSK, RSA))


def asked(quantity="ratio", **fields):
    return Question(metric="goodput", quantity=quantity, because="made up", **fields)


@pytest.mark.parametrize(("fields", "least"), EFFECTS)
def test_the_smallest_effect_is_given_or_half_of_the_bounds_or_none(fields, least):
    assert answers.smallest_effect(asked(**fields)) == least


@pytest.mark.parametrize(("quantity", "published", "verdict", "high", "size"), SIZES)
def test_a_published_number_is_held_against_the_interval_and_what_matters(
    quantity, published, verdict, high, size
):
    """The interval is 1 to 2, and the smallest effect 2. A hidden cost may be as large again."""
    words = published if isinstance(published, str) else None
    expect = "> 1" if quantity == "ratio" else "> 0"
    test = asked(quantity, expect=expect, matters=2.0, size=words)
    found = Estimate(1.5, 1.0, float(high), 5)
    assert answers._size(test, found, published, verdict, 1.0) == size


def part(verdict, brief, at="", asked_at="", expect="> 1", size="near"):
    """One answered question; `at` of a hidden one: the hidden cost."""
    p = dict(zip(judging._EVIDENCE, cases(__file__, "p")[verdict], strict=True))
    where = {"hidden_cost": at, "at": ""} if verdict == HIDDEN else {"at": at}
    one = {"verdict": verdict, "brief": brief, "expect": expect, "size": size}
    return one | p | where | {"asked_at": asked_at}


@pytest.mark.parametrize("case", WHOLES, ids=lambda case: case["verdict"])
def test_a_statement_is_decided_by_its_parts(case):
    found = judging._whole([part(*one) for one in case["of"]])
    told = (found["uncorrected"], found["decided_by"], found["parts"])
    assert told == (case["verdict"], case.get("by", ""), case.get("parts", ""))
    assert found["p"] == pytest.approx(case["p"], nan_ok=True)


@pytest.mark.parametrize(("sizes", "worst"), cases(__file__, "worst"))
def test_the_size_of_a_statement_is_its_worst_part(sizes, worst):
    for expect in ("> 1", ""):
        parts = [part(CONFIRMED, "a", expect=expect, size=size) for size in sizes]
        assert judging._whole(parts)["size"] == worst


def evidence_of(*p):
    return Evidence(*map(np.array, p))


def test_a_small_part_neither_confirms_nor_opposes_and_one_opposite_part_is_corrected():
    small, other, far = (evidence_of(*p) for p in cases(__file__, "combined"))
    assert combine([small, other]) == pytest.approx((1, 0.6, 0.05))
    assert combine([other, far]) == pytest.approx((0.02, 0.6, 1))
    assert combine([far, far]) == pytest.approx((0.02, 1, 1))
    nothing = evidence_of(np.nan, np.nan, np.nan)
    assert combine([nothing, other])[1:] == pytest.approx((0.6, 1))
    both = [evidence_of(*zip(one, far, strict=True)) for one in (small, other)]
    expected = zip(combine([small, other]), combine([far, far]), strict=True)
    assert np.allclose(combine(both), [*expected])
    found = [decisions.p_of_verdict([one]) for one in (other, nothing, evidence_of(0.6, 0.7, 0.8))]
    assert found == pytest.approx([0.02, np.nan, 1], nan_ok=True)


@pytest.mark.parametrize("complete", [True, False])
def test_all_contrasts_need_each_one_and_one_of_them_is_corrected(complete):
    """The largest is below a bound if all are, and above it if one is. Rows are two campaigns."""
    found = Estimates(np.array([[1.0, -1.0], [0.1, 3.0]]), np.full((2, 2), 0.5), np.full((2, 2), 9))
    above, below = found.p_above(0), found.p_below(0)
    of_all = [one.max(axis=1) if complete else [1, 1] for one in (above, below)]
    of_one = [np.minimum(2 * one.min(axis=1), 1) for one in (above, below)]
    largest, smallest = (decisions._sides(found, 0, one, complete) for one in ("max", "min"))
    assert np.allclose(largest, [of_one[0], of_all[1]])
    assert np.allclose(smallest, [of_all[0], of_one[1]])


def test_bounds_of_ratios_are_compared_as_logarithms_and_may_be_negative():
    found = Estimates(np.log([[1.0, 1.1], [1.0, 3.0]]), np.full((2, 2), 0.01), np.full((2, 2), 9))
    one = decisions.evidence(asked(expect="-1 to 4", scale=2), found, "max", logarithmic=True)
    assert [*decisions.decide(one)] == [CONFIRMED, OPPOSITE] and one.no_difference.shape == (2,)


@pytest.mark.parametrize(("p", "verdict"), cases(__file__, "bounds"))
def test_a_verdict_has_a_p_of_at_most_the_bound(p, verdict):
    one = evidence_of(*p)
    assert decisions.decide(one) == decisions.decide_whole([one]) == verdict
    row = part(verdict, "a") | dict(zip(judging._EVIDENCE, p, strict=True))
    table = pd.DataFrame([row | {"id": "s-1", "shape": False, "line": ""}])
    assert judging.verdicts(table, RULES[1])["verdict"]["s-1"] == verdict


def test_a_repeat_is_no_surer_than_what_it_repeats_and_unknown_without_both():
    p = pd.Series({"a": 0.01, "b": 0.02, "c": 0.6, "again": 0.001, "none": np.nan, "alone": 0.04})
    repeats = ("again", "a"), ("none", "lost"), ("alone", "lost"), ("gone", "a")
    family = CorrectedFamily(frozenset("abc"), repeats=repeats)
    found = decisions.adjusted(p, family, "bonferroni")
    assert np.allclose(found, [0.03, 0.06, 1, 0.03, np.nan, 0.04], equal_nan=True)
    assert [*found.index] == [*p.index] and found.dtype == float


def test_lines_of_one_rise_have_one_key():
    def line(quantity="slope", **more):
        fields = {"over": "size", "of": {"auth": "psk", "way": "up"}, "probe": "p"} | more
        return answers._line(Question(**{"metric": "jitter", "quantity": quantity, **fields}))

    same = [line(), line("straightness"), line(of={"way": "up"}, where={"auth": "psk"})]
    others = [line(metric="m"), line(probe="q"), line(over="rate"), line(of={"auth": "psk"})]
    others.append(line(of={"auth": "rsa", "way": "up"}))
    assert len({*same}) == 1 and len({*same, *others}) == 6 and "" not in {*same, *others}
    assert line("level") == line("intercept") == ""


def test_an_answer_takes_other_levels_and_its_trials_from_a_cache():
    one = study({"tests": [{**STATED, "where": {"probe": "tcp"}}]}, {"tests": [STUDIED]})
    known = {}
    rest = {"rules": RULES[1], "known": known, "instead": {"probe": "udp"}}
    first, second = answers.answer(one, BOTH, **rest).to_dict("records")
    assert first["unmeasured"] and second["unmeasured"] == second["size_range"] == ""
    assert second["study"] == 1.5
    assert set(known) == {"mean", "median"} and second["origin"] is not None
    again = answers.answer(one, dict.fromkeys(BOTH, None), traced=False, flips=True, **rest)
    assert again["origin"][1] is None and again["low"][1] != second["low"]
    wrong = study({"tests": [{**STATED, "where": {"nosuch": "x"}}]})
    with pytest.raises(UserError, match="^claim s-1: .*nosuch"):
        answers.answer(wrong, BOTH, RULES[1])


def test_a_row_has_what_the_ledger_shows():
    asked = study({"tests": [{**STATED, "size": "> 2", "unit": "x"}]})
    bench = BenchFacts(suites=frozenset({"auth"}), generic_code=True)
    (row,) = answers.answer(asked, BOTH, RULES[1], bench=bench).to_dict("records")
    shown = cases(__file__, "row")
    assert {name: row[name] for name in shown} == shown and np.isnan(row["study"])
    assert row["t"] == pytest.approx(stats.ttest_rel(*np.log([RSA, PSK])).statistic)
    assert row["blocks"] == (0, 1, 2, 3, 4)


def test_reasons_for_no_verdict_have_an_order():
    delay, unmeasured = {**STATED, "metric": "delay_mean"}, {**STATED, "where": {"probe": "x"}}
    blind = BenchFacts(sizes=frozenset({"auth"}), links_take_time=False)
    one = study(
        {"not_testable": "no Windows", "tests": []}, {"tests": [STATED, unmeasured]},
        {"tests": [delay]}, {"tests": [delay]}, {"tests": [RATIO]}, {"tests": [STATED]},
        {"tests": [STATED], "ours": "ours"}, {"tests": [STATED], "repeats": "s-6"},
    )  # fmt: skip
    both = pd.concat([summaries(PSK, RSA), summaries(PSK, RSA, "delay_mean")])
    stood = dict.fromkeys(("s-1", "s-2", "s-3"), "changed since")
    found = judging.judge(one, dict.fromkeys(BOTH, both), RULES[1], blind, stood)
    assert [found.reasons.get(f"s-{n}", "") for n in range(1, 9)] == [
        "no Windows", "no value of goodput at probe x in these trials", judging.WRITTEN_LATER,
        NO_TIME, judging.UNDIRECTED, "", "", "",
    ]  # fmt: skip
    assert found.family == CorrectedFamily(
        frozenset({"s-4", "s-6"}), frozenset({"s-7"}), (("s-8", "s-6"),)
    )
    assert [found.verdict(f"s-{n}") for n in (3, 6, 8)] == ["", CONFIRMED, CONFIRMED]
    none = judging.judge(study({"not_testable": "no Windows"}), BOTH, RULES[1], blind)
    assert none.verdicts.empty and [*none.verdicts] == [*found.verdicts] == COLUMNS


def test_a_shape_without_an_interval_shows_nothing_and_a_held_one_only_a_difference():
    sure = Answer(Estimate(0.5, 0.4, 0.6, 5), evidence_of(0.001, 0.9, 0.9))
    open_ended = replace(sure, estimate=Estimate(0.5, 0.4, np.inf, 5))
    shape = asked("straightness", expect="> 0.2")
    assert answers._judged(shape, sure, False)[1] == CONFIRMED
    assert answers._judged(shape, open_ended, False) == (answers._NO_PROOF, "undecided")
    other = asked("difference", expect="> 0", matters=1.0)
    assert answers._judged(other, open_ended, False)[1] == CONFIRMED
    assert answers._judged(asked(), sure, True) == (sure.evidence, "")

"""Questions to measurements, on tables whose answers are known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from remeasure.analysis.claims import (
    Claim,
    answer,
    evaluate,
    in_brief,
    in_words,
    verdicts,
)
from remeasure.analysis.decisions import verdict
from remeasure.analysis.estimates import Estimate, cell_jackknife
from remeasure.analysis.published import load_published
from remeasure.analysis.questions import Question
from remeasure.campaign.scenario import load_scenario
from remeasure.errors import UserError
from remeasure.publish.tables import claims_table

GROUPS = {"size": {"small": [1, 2]}}


def table(blocks=5, spread=0.0) -> pd.DataFrame:
    """rate is 10 for suite a, 20 for b, plus the size; jitter is three times the size."""
    noise = np.random.default_rng(1)
    rows = []
    for block in range(1, blocks + 1):
        for suite, base in (("a", 10), ("b", 20)):
            for size in (1, 2, 4):
                for metric, value in (("rate", base + size), ("jitter", 3 * size)):
                    rows.append(
                        {
                            "block": block,
                            "trial": 1,
                            "suite": suite,
                            "size": str(size),
                            "probe": "p",
                            "metric": metric,
                            "unit": "u",
                            "value": value + noise.normal(0, spread) if spread else value,
                        }
                    )
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"metric": "rate", "of": {"suite": "a", "size": "small"}}, 11.5),
        ({"metric": "rate", "of": {"suite": "a", "size": [1, 4]}}, 12.5),
        ({"metric": "rate", "over": "size", "reduce": "max", "of": {"suite": "b"}}, 24),
        ({"metric": "rate", "over": "size", "reduce": "range", "of": {"suite": "b"}}, 3),
        (
            {
                "metric": "rate",
                "quantity": "ratio",
                "of": {"suite": "b"},
                "to": {"suite": "a"},
                "where": {"size": 2},
            },
            22 / 12,
        ),
        (
            {
                "metric": "rate",
                "quantity": "ratio",
                "of": {"suite": "b"},
                "to": {"suite": "a"},
                "over": "size",
                "reduce": "min",
            },
            24 / 14,
        ),
        (
            {
                "metric": "rate",
                "quantity": "difference",
                "of": {"suite": "b"},
                "to": {"suite": "a"},
            },
            10,
        ),
        ({"metric": "jitter", "quantity": "slope", "over": "size", "scale": 1000}, 3000),
        ({"metric": "jitter", "quantity": "step_slope", "over": "size"}, 4.5),  # 3, 6, 12
        ({"metric": "rate", "over": "cells", "reduce": "max"}, 24),
        ({"metric": "jitter", "quantity": "linearity", "over": "size"}, 1),
        (
            {"metric": "rate", "quantity": "ratio", "of": {"size": 4}, "to": {"size": 1}},
            ((14 / 11) * (24 / 21)) ** 0.5,
        ),  # of geometric means
        (
            {
                "metric": "rate",
                "quantity": "excess",
                "of": {"suite": "b", "size": 1},
                "to": {"suite": "a", "size": 4},
                "base": {"suite": "a", "size": 1},
            },
            (21 - 11) / (14 - 11),
        ),
        (
            {
                "metric": "rate",
                "quantity": "lead",
                "among": "size",
                "of": {"size": 2},
                "to": {"size": [1, 4]},
                "where": {"suite": "a"},
            },
            12 / 14,
        ),
        (
            {
                "metric": "rate",
                "quantity": "lead",
                "among": "suite",
                "over": "size",
                "reduce": "min",
                "of": {"suite": "b"},
                "to": {"suite": "a"},
            },
            24 / 14,
        ),
        (
            {
                "metric": "rate",
                "quantity": "trail",
                "among": "size",
                "of": {"size": 2},
                "to": {"size": [1, 4]},
                "where": {"suite": "a"},
            },
            12 / 11,
        ),
        ({"metric": "rate", "quantity": "share", "between": [[11, 12], [21, 21]]}, 3 / 6),
    ],
)
def test_quantities(fields, expected):
    estimate = evaluate(Question(**fields), table(), GROUPS)
    assert estimate.value == pytest.approx(expected)
    assert estimate.low == pytest.approx(expected) == estimate.high
    assert estimate.n == 5


def test_a_logarithm_fits_a_logarithm_better():
    log = table().assign(value=lambda t: np.log(t["size"].astype(float)) + 1)
    question = Question(metric="jitter", quantity="log_fit", over="size")
    assert evaluate(question, log, {}).value > 0.01
    assert evaluate(question, table(), {}).value < -0.01


def test_the_interval_widens_with_the_spread_and_needs_two_blocks():
    question = Question(metric="rate", of={"suite": "a"})
    narrow, wide = (evaluate(question, table(spread=s), {}) for s in (0.1, 1.0))
    assert 0 < narrow.high - narrow.low < wide.high - wide.low
    assert np.isnan(evaluate(question, table(blocks=1), {}).low)


def test_a_block_that_lacks_a_cell_does_not_count_for_it():
    lacking = table()
    lacking["value"] += 100 * (lacking["block"] == 2)
    lacking = lacking[~((lacking["block"] == 2) & (lacking["suite"] == "a"))]
    estimate = evaluate(
        Question(metric="rate", quantity="difference", of={"suite": "b"}, to={"suite": "a"}),
        lacking,
        {},
    )
    assert (estimate.value, estimate.n) == (pytest.approx(10), 4), "compared within blocks"
    assert evaluate(Question(metric="rate", of={"suite": "b"}), lacking, {}).n == 5


def test_the_interval_of_a_mean_is_students():
    values = np.array([3.0, 5.0, 4.0, 8.0])
    found = cell_jackknife(values[:, None], lambda means: means[0])
    low, high = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert (found.value, found.low, found.high) == pytest.approx((5, low, high))
    ratio = cell_jackknife(np.exp(values)[:, None], lambda means: means[0], logarithms=True)
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx(tuple(np.exp((5, low, high))))


@pytest.mark.parametrize("n", [3, 5])
def test_intervals_of_few_blocks_cover_what_they_should(n):
    draws = np.random.default_rng(3).normal(7, 2, size=(2000, n, 2))
    inside = 0
    for blocks in draws:
        found = cell_jackknife(blocks, lambda means: means[1] - means[0])
        inside += found.low <= 0 <= found.high
    assert 0.93 < inside / len(draws) < 0.97


@pytest.mark.parametrize(
    ("low", "high", "expect", "expected"),
    [
        (1.1, 1.2, "> 1", "supported"),
        (0.9, 1.2, "> 1", "inconclusive"),
        (0.8, 0.9, "> 1", "refuted"),
        (80, 89, "< 90", "supported"),
        (91, 95, "< 90", "refuted"),
        (0.95, 1.02, "0.9 to 1.1", "supported"),
        (1.2, 1.3, "0.9 to 1.1", "refuted"),
        (1.0, 1.3, "0.9 to 1.1", "inconclusive"),
        (float("nan"), float("nan"), "> 1", "inconclusive"),
        (1, 2, None, ""),
    ],
)
def test_verdicts(low, high, expect, expected):
    assert verdict(Estimate((low + high) / 2, low, high, 5), expect) == expected


def test_a_claim_is_as_good_as_its_worst_test():
    more, less = (
        {
            "metric": "rate",
            "quantity": "ratio",
            "of": {"suite": "b"},
            "to": {"suite": "a"},
            "expect": expect,
        }
        for expect in ("> 1", "< 1")
    )
    claims = [
        Claim(id="both", says="s", tests=[more, less]),
        Claim(id="one", says="s", tests=[more]),
        Claim(id="open", says="s", tests=[more | {"expect": None}]),
        Claim(id="none", says="s", not_testable="why"),
    ]
    found = verdicts(answer(claims, table(), {}))
    assert found.to_dict() == {"both": "refuted", "one": "supported", "open": ""}


def test_other_levels_can_be_asked():
    claim = Claim(
        id="c", says="s", tests=[{"metric": "rate", "of": {"suite": "a"}, "where": {"size": 1}}]
    )
    assert answer([claim], table(), {}, size="4")["value"].tolist() == [14]


def test_a_question_to_nothing_is_one_clear_message():
    claim = Claim(id="c", says="s", tests=[{"metric": "rate", "of": {"colour": "red"}}])
    with pytest.raises(UserError, match="claim c: no factor 'colour'; known: suite, size, probe"):
        answer([claim], table(), {})


def test_a_level_that_was_not_measured_has_no_estimate():
    """As under a profile that leaves sizes out."""
    estimate = evaluate(Question(metric="rate", of={"size": 8}), table(), {})
    assert estimate.n == 0 and np.isnan(estimate.value)


def test_in_words():
    question = Question(
        metric="rate",
        quantity="ratio",
        of={"suite": "b"},
        to={"suite": ["a", "c"]},
        over="size",
        reduce="min",
        where={"load": "full"},
    )
    assert in_words(question) == "ratio of rate, suite b to suite a/c, min over size; load full"


@pytest.mark.parametrize("study", ["faigl", "pratama", "sokol", "wagner", "weerawarna"])
def test_every_claim_asks_of_cells_that_are_measured(study):
    """Under the paper's profile every level that a claim names is one of its scenario."""
    published = load_published(study)
    scenario = load_scenario(published.scenario, "paper")
    levels = {factor: set(of) for factor, of in scenario.design.factors.items()}
    for name, probe in scenario.settings(scenario.cells[0]).probes.items():
        levels.setdefault("probe", set()).add(name.split(".")[0])
        for factor, level in probe.levels.items():
            levels.setdefault(factor, set()).add(level)
    for claim in published.claims:
        for test in claim.tests:
            assert test.probe in {None, *levels["probe"]}, claim.id
            assert {test.over, test.among} <= {None, "cells", *levels}, claim.id
            assert (test.among is None) == (test.quantity not in ("lead", "trail")), claim.id
            chosen = (test.where, test.of, test.to, test.base)
            for factor, wanted in [item for levels_ in chosen for item in levels_.items()]:
                wanted = published.groups.get(factor, {}).get(str(wanted), wanted)
                wanted = wanted if isinstance(wanted, list) else [wanted]
                assert {str(w) for w in wanted} <= levels[factor], (claim.id, factor)


def test_the_papers_table_has_a_row_a_claim():
    claims = [
        Claim(
            id="two",
            says="says two",
            published="1 %",
            tests=[
                {"metric": "rate", "of": {"suite": "a", "size": 1}, "unit": "u", "expect": "< 12"},
                {"metric": "rate", "of": {"suite": "b", "size": 1}},
            ],
        )
    ]
    answers = answer(claims, table(), {})
    (row,) = claims_table(answers, verdicts(answers)).to_dict("records")
    assert row == {
        "claim": "says two",
        "study": "1 %",
        "verdict": "supported",
        "found": "a: 11.0 [11.0, 11.0] u; b: 21.0 [21.0, 21.0]",
    }


def test_the_tests_of_a_claim_are_told_apart_by_what_differs():
    small, large = ({"suite": "a", "size": size} for size in (1, 2))
    tests = [
        Question(quantity="ratio", metric="rate", of=small, to=large, where={"via": "tcp"}),
        Question(quantity="ratio", metric="rate", of=small, to=large, where={"via": "udp"}),
        Question(metric="rate", over="size", reduce="max", of=small, where={"via": "udp"}),
    ]
    assert in_brief(tests) == ["ratio tcp to 2", "ratio udp to 2", "max udp"]
    assert in_brief(tests[:2]) == ["tcp", "udp"]
    assert in_brief(tests[:1]) == [""]

"""Corrections for many tests, on examples worked by hand, and their family; and paired tests."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from remeasure.bench.claims.published import load_published
from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.decisions import (
    NO_DIFFERENCE,
    CorrectedFamily,
    adjusted,
    combine,
    corrected,
    decide,
    evidence,
)
from remeasure.paper.analysis.estimates import Estimates
from remeasure.paper.analysis.verdicts.study_tables import comparison_table, paired_t_test

P = [0.01, 0.04, 0.03, 0.005, np.nan]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # Four p values times 4, 3, 2, 1 in ascending order, made monotone.
        ("holm", [0.03, 0.06, 0.06, 0.02]),
        ("bonferroni", [0.04, 0.16, 0.12, 0.02]),
        # Times 4 / rank, made monotone from the largest down: 0.02, 0.02, 0.04, 0.04.
        ("fdr_bh", [0.02, 0.04, 0.04, 0.02]),
    ],
)
def test_worked_examples(method, expected):
    found = corrected(pd.Series(P), method)
    assert found[:4].tolist() == pytest.approx(expected)
    assert np.isnan(found[4])


def test_only_counted_testable_statements_make_each_other_stricter():
    p_values = pd.Series({"a": 0.01, "b": 0.03, "ours": 0.04, "again": 0.001, "untestable": 0.01})
    family = CorrectedFamily(frozenset("ab"), frozenset({"ours"}), (("again", "b"),))
    found = adjusted(p_values, family, "holm")
    assert found["a"] == pytest.approx(0.02) and found["b"] == pytest.approx(0.03)
    assert found["ours"] == pytest.approx(0.04), "a family of its own"
    assert found["again"] == pytest.approx(0.03), "as sure as the effect that it repeats, no surer"
    assert np.isnan(found["untestable"])


def simulated(method):
    """Mean share of wrong verdicts among the decided, and share of studies with any, in studies of
    20 statements from 5 blocks. Ten effects are large. Ten lie exactly at the beginning of effects
    that matter, the hardest truth, for which "no difference that matters" is wrong."""
    noise, studies, blocks = np.random.default_rng(11), 800, 5
    truth = np.repeat([3.0, 1.0], 10)
    values = truth + noise.normal(0, 0.4, (studies, blocks, 20))
    error = values.std(axis=1, ddof=1) / np.sqrt(blocks)
    found = Estimates(values.mean(axis=1)[..., None], error[..., None], np.full((1, 1, 1), 4.0))
    stated = {"expect": "> 0", "matters": 1.0, "because": "made up"}
    proof = evidence(Question(metric="delay", quantity="difference", **stated), found, "max")
    verdict = decide(proof)
    p_values = np.minimum(1, 2 * np.fmin.reduce(combine([proof])))
    shares, errors = [], []
    for of_study, p_of_study in zip(verdict, p_values, strict=True):
        decided = corrected(pd.Series(p_of_study), method) <= 0.05
        wrong = decided & (of_study == NO_DIFFERENCE)
        shares.append(wrong.sum() / max(decided.sum(), 1))
        errors.append(wrong.any())
    return np.mean(shares), np.mean(errors)


def test_the_false_discovery_rate_holds_on_simulated_studies():
    share, any_wrong = simulated("fdr_bh")
    assert 0 < share <= 0.05 < any_wrong


def test_the_family_wise_rate_holds_by_bonferroni_and_not_by_holm():
    """A statement has three verdicts, so one that is rightly decided must not make others laxer."""
    assert 0 < simulated("bonferroni")[1] <= 0.05 < 0.1 < simulated("holm")[1]


# Student's own data (Biometrika 6, 1908): extra hours of sleep under two drugs, ten patients.
SLEEP_1 = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SLEEP_2 = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])


def test_published_numbers_of_pratama():
    table = comparison_table(load_published("pratama")).set_index("id")
    assert len(table) == 16
    row = table.loc["pratama-ike-normal"]
    assert row["rsa"] - row["psk"] == pytest.approx(10.75)
    assert table["significant"].equals(table["p"] < 0.05)


def p_of(*pairs: np.ndarray) -> float:
    return paired_t_test(np.column_stack(pairs))[1]


def test_paired_t_test_on_students_sleep_data():
    assert p_of(SLEEP_1, SLEEP_2) == pytest.approx(0.002833, abs=1e-6)
    assert p_of(SLEEP_2, SLEEP_1) == pytest.approx(stats.ttest_rel(SLEEP_2, SLEEP_1).pvalue)


def test_pairs_that_lack_a_value_do_not_count_and_no_pairs_have_no_test():
    first, second = np.append(SLEEP_1, [np.nan, 1]), np.append(SLEEP_2, [1, np.nan])
    assert p_of(first, second) == pytest.approx(p_of(SLEEP_1, SLEEP_2))
    for pairs in ((np.full(2, np.nan), np.ones(2)), (np.zeros(5), np.zeros(5)), (np.ones(1),) * 2):
        assert np.isnan(p_of(*pairs))

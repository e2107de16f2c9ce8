"""Corrections for many tests, on examples worked by hand, and their family."""

import numpy as np
import pandas as pd
import pytest

from remeasure.analysis.corrections import Family, adjusted, corrected

P = [0.01, 0.04, 0.03, 0.005, np.nan]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # Four p values times 4, 3, 2, 1 in ascending order, made monotone.
        ("holm", [0.03, 0.06, 0.06, 0.02]),
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
    family = Family(frozenset("ab"), frozenset({"ours"}), (("again", "b"),))
    found = adjusted(p_values, family, "holm")
    assert found["a"] == pytest.approx(0.02) and found["b"] == pytest.approx(0.03)
    assert found["ours"] == pytest.approx(0.04), "a family of its own"
    assert found["again"] == pytest.approx(0.03), "as sure as the effect that it repeats, no surer"
    assert np.isnan(found["untestable"])


def test_an_effect_asked_again_of_a_statement_that_has_no_verdict_stands_alone():
    family = Family(frozenset(), repeats=(("again", "b"),))
    found = adjusted(pd.Series({"again": 0.02}), family, "holm")
    assert found["again"] == pytest.approx(0.02)

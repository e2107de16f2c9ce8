"""Published tables of studies, and the paired tests against values known from elsewhere."""

import numpy as np
import pytest
from scipy import stats

from remeasure.bench.claims.published import load_published
from remeasure.paper.analysis.verdicts.study_tables import (
    comparison_table,
    paired_t_test,
    second_less_first,
)

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
    return paired_t_test(second_less_first(np.column_stack(pairs)))


def test_paired_t_test_on_students_sleep_data():
    assert p_of(SLEEP_1, SLEEP_2) == pytest.approx(0.002833, abs=1e-6)
    assert p_of(SLEEP_2, SLEEP_1) == pytest.approx(stats.ttest_rel(SLEEP_2, SLEEP_1).pvalue)


def test_pairs_that_lack_a_value_do_not_count_and_no_pairs_have_no_test():
    first, second = np.append(SLEEP_1, [np.nan, 1]), np.append(SLEEP_2, [1, np.nan])
    assert p_of(first, second) == pytest.approx(p_of(SLEEP_1, SLEEP_2))
    for pairs in ((np.full(2, np.nan), np.ones(2)), (np.zeros(5), np.zeros(5)), (np.ones(1),) * 2):
        assert np.isnan(p_of(*pairs))

"""Verdicts and p values, against tests known from elsewhere."""

import numpy as np
import pytest
from made_up_study import PSK, RATIO, RSA, study, summaries
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from remeasure.analysis.claims import answer


def test_the_p_value_is_that_of_the_paired_t_test():
    """Of logarithms, since a ratio is of geometric means."""
    table = answer(study({"tests": [{**RATIO, "expect": "> 1"}]}).claims, summaries(PSK, RSA), {})
    expected = stats.ttest_rel(np.log(RSA), np.log(PSK)).pvalue
    assert table["p"][0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("expect", "verdict"),
    [
        ("> 1", "supported"),
        ("< 1", "refuted"),
        ("> 1.03", "inconclusive"),
        ("1 to 1.1", "supported"),
    ],
)
def test_p_is_below_5_percent_exactly_where_the_interval_leaves_out_a_bound(expect, verdict):
    table = answer(study({"tests": [{**RATIO, "expect": expect}]}).claims, summaries(PSK, RSA), {})
    assert table["verdict"][0] == verdict
    assert (table["p"][0] < 0.05) == (verdict != "inconclusive")


def test_the_same_is_what_two_one_sided_tests_find():
    """Within bounds: statsmodels' TOST of the logarithms has the larger of its two p values, each
    one-sided, where ours is two-sided."""
    same = [90.4, 93.8, 91.3, 94.7, 92.2]
    table = answer(
        study({"tests": [{**RATIO, "expect": "0.95 to 1.05"}]}).claims, summaries(PSK, same), {}
    )
    p, *_ = ttost_paired(np.log(same), np.log(PSK), np.log(0.95), np.log(1.05))
    assert table["verdict"][0] == "supported"
    assert table["p"][0] / 2 == pytest.approx(p)

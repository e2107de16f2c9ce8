"""Tests of paired samples: one pair a block."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PairedTest:
    """Results of tests on n pairs. NaN if a test is not defined: fewer than two pairs, or all
    differences equal."""

    n: int
    t: float
    p_t: float
    """two-sided p of the paired t-test"""
    p_wilcoxon: float
    """two-sided p of the Wilcoxon signed-rank test"""
    cohen_d: float
    """mean difference over the pooled standard deviation of the two samples"""


def paired_tests(first: np.ndarray, second: np.ndarray) -> PairedTest:
    """Compare two samples of equal length, pair by pair; t > 0 where the second is larger."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    n, nan = len(first), float("nan")
    differences = second - first
    if n < 2 or np.ptp(differences) == 0:
        return PairedTest(n, nan, nan, nan, nan)
    from scipy import stats  # takes half a second to import, and few notebooks test pairs

    t_test = stats.ttest_rel(second, first)
    wilcoxon = stats.wilcoxon(second, first, correction=True)
    pooled = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    return PairedTest(
        n,
        float(t_test.statistic),
        float(t_test.pvalue),
        float(wilcoxon.pvalue),
        float((second.mean() - first.mean()) / pooled),
    )

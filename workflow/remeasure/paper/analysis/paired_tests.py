"""Tests of paired samples: each block gives one pair."""

import warnings
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PairedTest:
    """Results of tests on n pairs, those without a missing value. NaN if a test is not defined:
    fewer than two pairs, or all differences equal."""

    n: int
    t: float
    p_t: float
    """two-sided p of the paired t-test"""
    p_wilcoxon: float
    """two-sided p of the Wilcoxon signed-rank test"""
    cohen_d: float
    """mean difference divided by the pooled standard deviation of the two samples"""


def paired_tests(first: np.ndarray, second: np.ndarray) -> PairedTest:
    """Compare two samples of equal length, pair by pair; t > 0 where the second is larger. NaN
    marks a missing value."""
    pairs = np.column_stack([first, second]).astype(float)
    first, second = pairs[np.isfinite(pairs).all(axis=1)].T
    n, nan = len(first), float("nan")
    differences = second - first
    if n < 2 or np.ptp(differences) == 0:
        return PairedTest(n, nan, nan, nan, nan)
    import pingouin  # heavy, and for few

    with warnings.catch_warnings():
        # With very few pairs pingouin warns of its own confidence interval, which is not used.
        warnings.simplefilter("ignore")
        t_test = pingouin.ttest(second, first, paired=True).iloc[0]
        wilcoxon = pingouin.wilcoxon(second, first).iloc[0]
    return PairedTest(
        n,
        float(t_test["T"]),
        float(t_test["p_val"]),
        float(wilcoxon["p_val"]),
        float(pingouin.compute_effsize(second, first, paired=True, eftype="cohen")),
    )

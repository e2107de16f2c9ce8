"""Corrections for the number of tests, within one family of them."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from remeasure.bench.claims.rules import Method


class Family(NamedTuple):
    """Which statements of a study are corrected together."""

    counted: frozenset[str]
    """claims that count and can be tested: nothing else makes their verdicts stricter"""
    beside: frozenset[str] = frozenset()
    """claims that can be tested and do not count; they are a family of their own"""
    repeats: tuple[tuple[str, str], ...] = ()
    """claim, and the claim whose effect it asks again: it is decided only if that one is"""


def adjusted(p_values: pd.Series, family: Family, method: Method) -> pd.Series:
    """p values corrected within their family; NaN for claims that belong to none. `p_values` has
    the claims' ids as its index."""
    found = pd.Series(np.nan, index=p_values.index)
    for group in (family.counted, family.beside):
        own = p_values[p_values.index.isin(group)]
        found[own.index] = corrected(own, method)
    for claim, parent in family.repeats:
        if claim in found:
            of_both = (p_values[claim], found.get(parent, np.nan))
            found[claim] = np.nanmax(of_both) if np.isfinite(of_both).any() else np.nan
    return found


def corrected(p_values: pd.Series, method: Method) -> pd.Series:
    """p values corrected over all of them. NaN stays NaN and does not count as a test. (Holm's
    correction in statsmodels collects garbage at each call, which takes 0.1 s.)"""
    ascending = p_values.dropna().sort_values()
    rank = np.arange(1, len(ascending) + 1)
    found = {
        "bonferroni": ascending * len(ascending),
        "holm": (ascending * rank[::-1]).cummax(),
        # Benjamini and Hochberg's false discovery rate
        "fdr_bh": (ascending / (rank / len(ascending)))[::-1].cummin(),
    }[method]
    return found.clip(upper=1).reindex(p_values.index)

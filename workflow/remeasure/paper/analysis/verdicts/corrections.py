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
    """p values corrected over all of them. NaN stays NaN and does not count as a test."""
    from pingouin import multicomp  # takes seconds to import

    name = {"bonferroni": "bonf"}.get(method, method)
    return pd.Series(multicomp(p_values.to_numpy(), method=name)[1], index=p_values.index)

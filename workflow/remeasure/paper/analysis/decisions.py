"""Verdicts on statements from estimates, their p values, and corrections for the number of tests
within one family.

Each verdict is a one-sided test at 2.5 %: a 95 % interval must lie on the stated side. Equality
within bounds is equivalence by two of these tests (TOST).

"The smallest is above the bound" is shown if each contrast is above it (an intersection-union test,
which needs no correction). "The smallest is below" is shown if one contrast is below it, after
Holm's correction for their number.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from remeasure.bench.claims.questions import Question, bounds
from remeasure.bench.claims.rules import CorrectionMethod
from remeasure.paper.analysis.contrasts import Extreme
from remeasure.paper.analysis.estimates import Estimates

CONFIRMED = "confirmed"
OPPOSITE = "opposite"
NO_DIFFERENCE = "no difference that matters"
NOT_AS_STATED = "not as stated"
HIDDEN = "hidden by the link"
UNDECIDED = "undecided"
NOT_TESTABLE = "not testable"
VERDICTS = {
    CONFIRMED: "the interval lies on the side, or inside the bounds, that the statement has",
    OPPOSITE: "the interval lies on the other side, or outside the bounds",
    NO_DIFFERENCE: "the interval lies within the effects that do not matter",
    NOT_AS_STATED: "of several parts one is confirmed, and another is opposite or makes no "
    "difference that matters",
    HIDDEN: "rates do not differ, but a link was their limit, which hides what hosts compute",
    UNDECIDED: "the interval allows more than one verdict",
    NOT_TESTABLE: "the statement cannot be asked of these measurements",
}
"""verdict on the direction of a statement -> its meaning, in the order of all tables"""
DECIDED = (CONFIRMED, OPPOSITE, NO_DIFFERENCE, NOT_AS_STATED)
"""the verdicts that rest on an interval"""
INSIDE, NEAR, OUTSIDE, NO_SIZE = "inside", "near", "outside", "none given"
SIZES = {
    INSIDE: "every published number lies inside our interval",
    NEAR: "a published number lies outside our interval, by less than what matters",
    OUTSIDE: "a published number lies outside our interval by more than what matters",
    NO_SIZE: "the study gives no number for it",
}
"""verdict on the size -> its meaning, for a statement and for one part of it"""
ALPHA = 0.025
"""largest one-sided p of a verdict"""


class Evidence(NamedTuple):
    """One-sided p of each possible verdict; arrays without the axis of contrasts. NaN without an
    interval, and for a verdict that the statement does not allow."""

    confirmed: np.ndarray
    opposite: np.ndarray
    no_difference: np.ndarray


NO_EVIDENCE = Evidence(*(np.array(np.nan),) * 3)


def evidence(
    test: Question,
    found: Estimates,
    extreme: Extreme,
    complete: bool = True,
    *,
    logarithmic: bool = False,
) -> Evidence:
    """The p values of a question's statement; contrasts are the last axis of `found`, logarithms of
    the values or not. Contrasts that are not `complete` can show something of one contrast, never
    of all.

    Effects from 1 / `matters` to `matters` do not matter if no effect is 1, otherwise effects from
    -`matters` to `matters`. Bounds [unit] are divided by the question's scale.
    """
    if test.expect is None:
        return NO_EVIDENCE

    def on_scale(number: float) -> float:
        if logarithmic:
            return float(np.log(number / test.scale)) if number > 0 else -np.inf
        return number / test.scale

    def sides(bound: float) -> tuple[np.ndarray, np.ndarray]:
        return _sides(found, on_scale(bound), extreme, complete)

    least, most = bounds(test.expect)
    if test.matters is None:
        (above_least, below_least), (above_most, below_most) = sides(least), sides(most)
        inside = np.maximum(above_least, below_most)
        outside = np.minimum(below_least, above_most)
        return Evidence(inside, outside, np.full_like(inside, np.nan))
    low = 1 / test.matters if test.neutral == 1 else -test.matters
    negligible = np.maximum(sides(low)[0], sides(test.matters)[1])
    above, below = sides(test.neutral)
    confirmed, opposite = (above, below) if np.isinf(most) else (below, above)
    return Evidence(confirmed, opposite, negligible)


def _sides(
    found: Estimates, bound: float, extreme: Extreme, complete: bool
) -> tuple[np.ndarray, np.ndarray]:
    """p for an extreme of the contrasts above a bound, and below it."""

    def p(of_each: np.ndarray, if_all: bool) -> np.ndarray:
        if not if_all:
            return np.minimum(of_each.shape[-1] * of_each.min(axis=-1), 1)
        largest = of_each.max(axis=-1)
        return largest if complete else np.ones_like(largest)

    return p(found.p_above(bound), extreme == "min"), p(found.p_below(bound), extreme == "max")


def decide(p: Evidence) -> np.ndarray:
    """The verdict of each test. A certain effect that is too small is "no difference that
    matters"."""
    return np.select(
        [p.no_difference <= ALPHA, p.confirmed <= ALPHA, p.opposite <= ALPHA],
        [NO_DIFFERENCE, CONFIRMED, OPPOSITE],
        UNDECIDED,
    )


def combine(parts: list[Evidence]) -> Evidence:
    """The p values of a statement that is true if each of its parts is. It is confirmed if each
    part is, without a correction. One opposite part is enough against it, after a correction for
    their number. A part with an effect too small to matter is neither."""
    confirmed, opposite, no_difference = (
        np.array(one, dtype=float) for one in zip(*parts, strict=True)
    )
    small = no_difference <= ALPHA
    return Evidence(
        np.where(small, 1.0, confirmed).max(axis=0),
        np.minimum(len(parts) * _least(np.where(small, 1.0, opposite)), 1),
        np.minimum(len(parts) * _least(no_difference), 1),
    )


def decide_whole(parts: list[Evidence]) -> np.ndarray:
    """The verdict on a statement of one or several parts. An opposite part counts before a part
    without a difference that matters."""
    whole = combine(parts)
    return np.select(
        [whole.opposite <= ALPHA, whole.no_difference <= ALPHA, whole.confirmed <= ALPHA],
        [OPPOSITE, NO_DIFFERENCE, CONFIRMED],
        UNDECIDED,
    )


def p_of_verdict(parts: list[Evidence]) -> float:
    """Two-sided p of the verdict on a statement, below 0.05 exactly if it is decided. NaN if no
    part has an interval."""
    if all(np.isnan(part.confirmed) for part in parts):
        return float("nan")
    return min(1.0, 2 * float(np.nanmin(combine(parts))))


def _least(p: np.ndarray) -> np.ndarray:
    """The smallest p of each column, without NaN."""
    return np.where(np.isnan(p), 1.0, p).min(axis=0)


class CorrectedFamily(NamedTuple):
    """Which statements of a study are corrected together."""

    counted: frozenset[str]
    """claims that count and can be tested: nothing else makes their verdicts stricter"""
    beside: frozenset[str] = frozenset()
    """claims that can be tested and do not count; they are a family of their own"""
    repeats: tuple[tuple[str, str], ...] = ()
    """claim, and the claim whose effect it repeats: it is decided only if the other one is"""


def adjusted(p_values: pd.Series, family: CorrectedFamily, method: CorrectionMethod) -> pd.Series:
    """p values corrected within their family, by claim; NaN for claims outside a family. `p_values`
    has the claims' ids as its index."""
    found = pd.Series(np.nan, index=p_values.index)
    for group in (family.counted, family.beside):
        own = p_values[p_values.index.isin(group)]
        found[own.index] = corrected(own, method)
    for claim, parent in family.repeats:
        if claim in found:
            of_both = (p_values[claim], found.get(parent, np.nan))
            found[claim] = np.nanmax(of_both) if np.isfinite(of_both).any() else np.nan
    return found


def corrected(p_values: pd.Series, method: CorrectionMethod) -> pd.Series:
    """p values corrected over all of them. NaN stays NaN and does not count as a test."""
    known = p_values.dropna().sort_values()
    rank = np.arange(1, len(known) + 1)
    # By hand: pingouin.multicomp, which tests compare, would add 1.3 s to each notebook's start.
    if method == "fdr_bh":
        found = (known / (rank / len(known)))[::-1].cummin()
    else:
        found = known * len(known) if method == "bonferroni" else (known * rank[::-1]).cummax()
    return found.clip(upper=1).reindex(p_values.index)

"""Whether data show that both sides of a paired contrast are equal, that they differ, or neither.
The verdict "undecided" does not tell the first from the last.

A Bayes factor is how many times likelier the data are if there is an effect than if there is none.
Without effect the mean of the blocks' contrasts is exactly 0. With one, the mean over the standard
deviation of blocks has a Cauchy distribution of scale 0.707, the usual choice (Rouder et al. 2009,
doi:10.3758/PBR.16.2.225). The factor knows no smallest effect that matters, and decides nothing.
Fewer than nine blocks never reach 3 to 1 for equality.
"""

import math

from remeasure.paper.analysis.entry import Part
from remeasure.paper.analysis.texts import number_text

ENOUGH = 3
"""odds from which a factor counts as evidence, by convention"""
_MOST = 1000
"""odds beyond which a reader needs no number"""
EQUAL, DIFFERENT, NOTHING_SAID = "for equality", "for a difference", "neither"


def bayes_factor(t: float, blocks: int) -> float:
    """The factor of Student's t of one contrast per block; NaN for a t that is NaN."""
    from pingouin import bayesfactor_ttest  # here: it imports for over a second

    return float(bayesfactor_ttest(t, blocks))


def bayes_factor_of(test: Part) -> float:
    """The factor of one part of a statement; NaN unless each block gives one ratio or
    difference."""
    t = test.get("t")
    return math.nan if t is None else bayes_factor(t, test["n"])


def evidence_kind(factor: float) -> str:
    """The kind of evidence: EQUAL, DIFFERENT or NOTHING_SAID; empty for NaN."""
    if math.isnan(factor):
        return ""
    return DIFFERENT if factor >= ENOUGH else EQUAL if factor <= 1 / ENOUGH else NOTHING_SAID


def evidence_text(factor: float) -> str:
    """A factor in words, with odds above 1: 'for equality, 3.24 to 1'; empty for NaN."""
    kind, side = evidence_kind(factor), EQUAL if factor < 1 else DIFFERENT
    if not kind:
        return ""
    odds = max(factor, 1 / factor)
    ratio = f"over {_MOST} to 1" if odds > _MOST else f"{number_text(odds)} to 1"
    return f"{kind} ({ratio} {side})" if kind == NOTHING_SAID else f"{kind}, {ratio}"

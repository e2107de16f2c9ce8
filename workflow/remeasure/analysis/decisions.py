"""Whether an estimate is as a statement has it: a direction, a bound, or the same within bounds.

That two things are the same within bounds is equivalence: an interval of 95 % within them is two
one-sided tests (TOST), each at 2.5 %.
"""

from typing import Literal

import numpy as np
from scipy import stats

from remeasure.analysis.estimates import Estimate
from remeasure.analysis.questions import LOGARITHMIC, Question, bounds

Verdict = Literal["supported", "refuted", "inconclusive", ""]


def verdict(estimate: Estimate, expect: str | None) -> Verdict:
    """Where the interval lies. Without an interval nothing is decided."""
    if expect is None:
        return ""
    least, most = bounds(expect)
    if estimate.low > least and estimate.high < most:
        return "supported"
    if estimate.low > most or estimate.high < least:
        return "refuted"
    return "inconclusive"


def p_value(estimate: Estimate, test: Question) -> float:
    """How likely an estimate this far from the nearest bound is, were the truth there: below 0.05
    exactly where the interval leaves out that bound. NaN without an interval or a bound."""
    numbers = np.array(
        [
            estimate.value,
            estimate.low,
            estimate.high,
            *(bounds(test.expect) if test.expect else ()),
        ],
        dtype=float,
    )
    if not test.expect or estimate.n < 2 or not np.isfinite(numbers[:3]).all():
        return np.nan
    if test.quantity in LOGARITHMIC:
        with np.errstate(divide="ignore", invalid="ignore"):
            numbers = np.log(numbers)
    value, low, high, *edges = numbers
    distance = min(abs(value - edge) for edge in edges if not np.isnan(edge))
    error = (high - low) / 2 / stats.t.ppf(0.975, estimate.n - 1)
    return float(2 * stats.t.sf(distance / error, estimate.n - 1)) if error else np.nan

"""Whether an estimate agrees with a statement: a direction, a bound, or equality within bounds.

Equality within bounds is equivalence: a 95 % interval inside the bounds is the same as two
one-sided tests (TOST), each at 2.5 %.
"""

from typing import Literal

import numpy as np
from scipy.special import stdtr as student_share
from scipy.special import stdtrit as student_quantile

from remeasure.analysis.estimates import Estimate
from remeasure.analysis.questions import LOGARITHMIC, Question, bounds

Verdict = Literal["supported", "refuted", "inconclusive", ""]


def verdict(estimate: Estimate, expect: str | None) -> Verdict:
    """`supported` if the whole interval is inside the bounds of `expect`, `refuted` if no part of
    it is, else `inconclusive`; empty without bounds. Without an interval the verdict is
    `inconclusive`."""
    if expect is None:
        return ""
    least, most = bounds(expect)
    if estimate.low > least and estimate.high < most:
        return "supported"
    if estimate.low > most or estimate.high < least:
        return "refuted"
    return "inconclusive"


def p_value(estimate: Estimate, test: Question) -> float:
    """Two-sided p of the estimate, if the truth were the nearest bound: it is below 0.05 exactly if
    that bound lies outside the interval. NaN without an interval or a bound."""
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
    error = (high - low) / 2 / student_quantile(estimate.n - 1, 0.975)
    return float(2 * student_share(estimate.n - 1, -distance / error)) if error else np.nan

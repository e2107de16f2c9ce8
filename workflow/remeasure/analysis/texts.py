"""Numbers, intervals and p values as text. Each text is remembered with the origin of its value."""

import math

from remeasure.analysis.lineage import printed


def number_text(value: float, digits: int = 3) -> str:
    """The value with `digits` significant digits and no exponent; 'n/a' for NaN."""
    if value is None or not math.isfinite(value):
        return "n/a"
    if abs(value) < 1e-12:  # what rounding leaves of nothing
        return "0"
    return printed(f"{value:.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}", value)


def interval_text(value: float, low: float, high: float, digits: int = 3) -> str:
    """The value with its interval: '12.3 [11.9, 12.8]'; an infinite end is 'no end'."""
    if math.isnan(low) or math.isnan(high):
        return number_text(value, digits)
    least, most = ("no end" if math.isinf(end) else number_text(end, digits) for end in (low, high))
    return printed(f"{number_text(value, digits)} [{least}, {most}]", value)


def p_text(p: float) -> str:
    """A p value as text; 'n/a' if the test is not defined."""
    if not math.isfinite(p):
        return "n/a"
    return "<0.001" if p < 0.001 else f"{p:.3f}"

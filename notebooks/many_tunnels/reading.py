"""How the memory of many SAs is read.

A daemon has memory before its first SA, and its allocator takes more than it gives away. Growth
over number would therefore fall as the number grows. The memory of an SA is the slope of a straight
line through the sizes, less the slope without an SA. This second slope is the configuration: the
initiator has a connection for each SA. The line is a fair description if no size lies far from it.
The number of SAs that fit is computed from the slope at the peak, right after all CHILD_SAs were
rekeyed, when the kernel has both old and new SAs.
"""

import math

LINEAR = 0.05
"""largest departure of a size from the line, as a share of the line's rise, that counts as
straight"""
GIB = 1024 * 1024
"""one gibibyte [KiB]"""


def reading(straightness: float) -> str:
    """The meaning of the largest departure from the line, in words."""
    if not math.isfinite(straightness):
        return "there are too few sizes to tell whether memory grows in proportion to the number"
    if straightness <= LINEAR:
        return "memory grows in proportion to the number of SAs"
    return "memory does not grow in proportion to the number of SAs, so the slope is a mean"


def fit_in_gib(kib: float) -> float:
    """The number of SAs that fit in one GiB, if each takes so much memory [KiB], rounded down to
    two digits: this is computed far beyond the measurements, and must not promise too much. NaN if
    nothing grows."""
    if not kib > 0:
        return math.nan
    step = 10 ** max(math.floor(math.log10(GIB / kib)) - 1, 0)
    return GIB / kib // step * step

"""Numbers as tools print them: how exact a printed number is, and whether two numbers agree.

A tool that prints one quantity twice, or a sum beside its terms, lets its log be checked against
itself. Each number is exact to half a unit of its last digit, so two numbers agree if they differ
by no more than both halves.
"""

import math
from itertools import pairwise

_EXACT = 1e-13
"""share of a number by which arithmetic with floats may be wrong, at most"""


def unit(text: str) -> float:
    """The unit of the last digit of a printed number: '27.1' -> 0.1, '115' -> 1."""
    return 10.0 ** -len(text.partition(".")[2])


def agree(one: float, other: float, within: float = 0) -> bool:
    """Whether two numbers differ by at most `within`. What is no finite number agrees with
    nothing."""
    slack = _EXACT * max(abs(one), abs(other))
    return math.isfinite(slack) and abs(one - other) <= within + slack


def ordered(*numbers: float, within: float = 0) -> bool:
    """Whether numbers do not fall, but for `within`. What is no finite number has no order."""
    return all(low <= high or agree(low, high, within) for low, high in pairwise(numbers))

"""Conditions on data, as the paper's sentences state them (\\states in CONTRIBUTING.md)."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from remeasure.paper.analysis.decisions import SIZES, VERDICTS
from remeasure.paper.publish.prose.condition_names import (
    LITERAL,
    NotMeasured,
    Quantities,
    Quantity,
    Unknown,
)

NO_INTERVAL = "without an interval"
"""what a value of one block is: no condition on an interval holds of it"""
SHORT = {"no difference": "no difference that matters", "hidden": "hidden by the link"}
"""verdicts that have a short form in conditions"""
NEAR = 1e-8
"""relative difference of numbers that are the same; nine digits are handed over"""
_NAME = r"[A-Za-z][A-Za-z0-9-]*"
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_ONE = rf"(?:{_NAME}|{_NUMBER})"
_SIDE = rf"(?:\d+(?:\.\d+)? )?{_ONE}"
_FORMS = {
    "verdict": re.compile(rf"({_NAME}) is ({'|'.join([*VERDICTS, *SHORT])})"),
    "size": re.compile(rf"({_NAME}) size ({'|'.join(SIZES)})"),
    "within": re.compile(rf"({_SIDE}) (~?)within ({_ONE}) ({_ONE})"),
    "includes": re.compile(rf"({_SIDE}) includes ({_ONE})"),
    "order": re.compile(rf"({_SIDE}) (~?)(>=|<=|>|<) ({_SIDE})"),
    "equal": re.compile(r"(\S+) = (\S.*)"),
}
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
}


class Malformed(ValueError):
    """A condition that is none, or that asks of a quantity what it does not have."""


@dataclass(frozen=True)
class Answer:
    """What the data say of one condition."""

    condition: str
    holds: bool
    found: str
    """what was found, in words"""
    names: tuple[str, ...]
    """the numbers and statements that it names"""
    measured: bool = True
    """False if one of them is of a notebook that was not built"""


def answer(condition: str, data: Quantities) -> Answer:
    """Hold one condition against the data. Raises Unknown, Malformed."""
    for form, pattern in _FORMS.items():
        if match := pattern.fullmatch(condition):
            judge = _JUDGES[form]
            break
    else:
        raise Malformed("not a condition; see \\states in CONTRIBUTING.md")
    words = " ".join(match.groups()).split()
    names = tuple(word for word in words if data.has(word))
    try:
        holds, found = judge(match, data)
    except NotMeasured as missing:
        return Answer(condition, False, f"{missing} was not measured", names, measured=False)
    return Answer(condition, holds, found, names)


def _verdict(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    found = data.claim(match[1])["verdict"]
    return found == SHORT.get(match[2], match[2]), f"{match[1]} is {found}"


def _size(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    found = data.claim(match[1])["size"]
    return found == match[2], f"{match[1]} has size {found}"


def _within(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    one, low, high = (_number(side, data) for side in (match[1], match[3], match[4]))
    if not match[2] and not one.has_interval:
        return False, f"{match[1]} is {one}, {NO_INTERVAL}"
    least, most = (one.value, one.value) if match[2] else (one.low, one.high)
    return low.value <= least and most <= high.value, f"{match[1]} is {one}"


def _includes(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    one, other = _number(match[1], data), _number(match[2], data)
    if not one.has_interval:
        return False, f"{match[1]} is {one}, {NO_INTERVAL}"
    return one.low <= other.value <= one.high, f"{match[1]} is {one}"


def _order(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    left, right = _number(match[1], data), _number(match[4], data)
    above = match[3].startswith(">")
    a, b = left.value, right.value
    if not match[2]:  # the ends that lie nearest to each other
        a = (left.low if above else left.high) if left.has_interval else a
        b = (right.high if above else right.low) if right.has_interval else b
    said = [
        f"{side} is {one}"
        for side, one in ((match[1], left), (match[4], right))
        if not LITERAL.fullmatch(side)
    ]
    return _ORDERS[match[3]](a, b), ", ".join(said)


def _equal(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    left = data.find(match[1])
    if left.has_interval:
        raise Malformed(f"{match[1]} has an interval; write includes, or within")
    try:
        right = data.find(match[2])
    except (Unknown, NotMeasured):
        right = Quantity(match[2])
    if math.isnan(left.value) or math.isnan(right.value):
        return left.text == right.text, f"{match[1]} is {left.text}"
    return math.isclose(left.value, right.value, rel_tol=NEAR), f"{match[1]} is {left.text}"


def _number(side: str, data: Quantities) -> Quantity:
    """A side of a comparison; a text has no value, so nothing of an order holds of it."""
    *factor, name = side.split()
    found = data.find(name)
    return found.scaled(float(factor[0])) if factor else found


_JUDGES: dict[str, Callable[[re.Match[str], Quantities], tuple[bool, str]]] = {
    "verdict": _verdict,
    "size": _size,
    "within": _within,
    "includes": _includes,
    "order": _order,
    "equal": _equal,
}

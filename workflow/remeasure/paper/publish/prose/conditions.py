"""Conditions on data, as the paper's sentences state them (\\states in CONTRIBUTING.md)."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from remeasure.bench.base.names import Name, scenario_names
from remeasure.paper.analysis.decisions import SIZES, VERDICTS
from remeasure.paper.analysis.entry import Entry, Part
from remeasure.paper.notebook.handed_number import HandedNumber, HandedNumbers

LITERAL = re.compile(r"[-+]?\d+(\.\d+)?")
LEDGER = "claims"
"""the notebook of all statements"""


class Unknown(LookupError):
    """A name that no notebook hands over, and that none would."""


class NotMeasured(LookupError):
    """A name of a notebook that was not built."""


@dataclass(frozen=True)
class StatedQuantity:
    """A number with its interval, or a text."""

    text: str
    """as the paper prints it"""
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    """the ends of the interval; NaN without one"""

    @property
    def has_interval(self) -> bool:
        return not (math.isnan(self.low) or math.isnan(self.high))

    def __str__(self) -> str:
        if not self.has_interval:
            return self.text
        return f"{self.value:.6g} [{self.low:.6g}, {self.high:.6g}]"


class Quantities:
    """All results: numbers by macro (paper_macros.read_numbers), statements by id (entries of the
    ledger)."""

    def __init__(self, numbers: HandedNumbers, claims: Mapping[str, Entry], built: set[str]):
        """`built`: the notebooks that were built."""
        self._numbers, self._claims = numbers, claims
        self._built = built
        self._notebooks = {Name(one).prefix: Name(one).notebook for one in scenario_names()}
        self._notebooks |= {Name.of_notebook(one).prefix: one for one in (LEDGER, *built)}

    def has(self, name: str) -> bool:
        """True for a number or a statement that was handed over."""
        return name in self._numbers or name in self._claims

    def notebook_of(self, name: str) -> str:
        """The notebook that hands over a number or a statement. Raises Unknown."""
        if name in self._claims:
            return Name(self._claims[name]["scenario"]).notebook
        prefix = max(
            (one for one in self._notebooks if re.match(rf"{one}[A-Z]", name)), key=len, default=""
        )
        if not prefix:
            raise Unknown(name)
        return self._notebooks[prefix]

    def claim(self, name: str) -> Entry:
        """The ledger's entry of a statement. Raises Unknown, NotMeasured."""
        if name in self._claims:
            return self._claims[name]
        # Whole studies take seconds to read: they are read only if one is not built.
        from remeasure.bench.claims.published import load_published, studies

        for study in map(load_published, studies()):
            if any(claim.id == name for claim in study.claims):
                notebooks = {Name(scenario).notebook for scenario in study.places(name)}
                if notebooks and not notebooks & self._built:
                    raise NotMeasured(name)
        raise Unknown(name)

    def find(self, name: str) -> StatedQuantity:
        """A literal, a number or text by its macro without backslash, or the estimate of a
        statement that has one. Raises Unknown, NotMeasured."""
        if LITERAL.fullmatch(name):
            return StatedQuantity(name, float(name))
        if "-" in name:
            found = [test for test in self.claim(name)["tests"] if test["value"] is not None]
            if len(found) != 1:
                raise Unknown(f"{name} (it has {len(found)} estimates; name a number)")
            return _quantity(found[0]["quantity"], found[0]["value"], found[0])
        if name not in self._numbers:
            raise NotMeasured(name) if self.notebook_of(name) not in self._built else Unknown(name)
        number = self._numbers[name]
        text = number["text"]
        value = number.get("value", float(text) if LITERAL.fullmatch(text) else None)
        return _quantity(text, value, number)


def _quantity(text: str, value: float | None, of: HandedNumber | Part) -> StatedQuantity:
    """A text with its value and the interval of a number or test, if there are any."""
    if value is None or "low" not in of:
        return StatedQuantity(text, math.nan if value is None else value)
    low, high = of["low"], of["high"]
    return StatedQuantity(
        text, value, -math.inf if low is None else low, math.inf if high is None else high
    )


NO_INTERVAL = "without an interval"
"""a value of one block: no condition on an interval is true of it"""
SHORT = {"no difference": "no difference that matters", "hidden": "hidden by the link"}
"""verdicts that have a short form in conditions"""
NEAR = 1e-8
"""relative difference of numbers that are the same; nine digits are handed over"""
_NAME = r"[A-Za-z][A-Za-z0-9-]*"
_ONE = rf"(?:{_NAME}|[-+]?\d+(?:\.\d+)?)"
_ORDERS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


class Malformed(ValueError):
    """An invalid condition, or one on a property that the quantity lacks."""


@dataclass(frozen=True)
class ConditionCheck:
    condition: str
    holds: bool
    found: str
    """the finding, in words"""
    names: tuple[str, ...]
    """the numbers and statements in it"""
    measured: bool = True
    """False if one of them belongs to a notebook that was not built"""


def answer(condition: str, data: Quantities) -> ConditionCheck:
    """Hold one condition against the data. Raises Unknown, Malformed."""
    for pattern, judge in _FORMS:
        match = pattern.fullmatch(condition)
        if match is None:
            continue
        words = " ".join(match.groups()).split()
        names = tuple(word for word in words if data.has(word))
        try:
            return ConditionCheck(condition, *judge(match, data), names)
        except NotMeasured as missing:
            return ConditionCheck(
                condition, False, f"{missing} was not measured", names, measured=False
            )
    raise Malformed("not a condition; see \\states in CONTRIBUTING.md")


def _verdict(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    found = data.claim(match[1])["verdict"]
    return found == SHORT.get(match[2], match[2]), f"{match[1]} is {found}"


def _size(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    found = data.claim(match[1])["size"]
    return found == match[2], f"{match[1]} has size {found}"


def _within(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    one, low, high = (data.find(match[side]) for side in (1, 2, 3))
    if not one.has_interval:
        return False, f"{match[1]} is {one}, {NO_INTERVAL}"
    return low.value <= one.low and one.high <= high.value, f"{match[1]} is {one}"


def _includes(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    one, other = data.find(match[1]), data.find(match[2])
    if not one.has_interval:
        return False, f"{match[1]} is {one}, {NO_INTERVAL}"
    return one.low <= other.value <= one.high, f"{match[1]} is {one}"


def _order(match: re.Match[str], data: Quantities) -> tuple[bool, str]:
    left, right = data.find(match[1]), data.find(match[4])
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
        right = StatedQuantity(match[2])
    if math.isnan(left.value) or math.isnan(right.value):
        return left.text == right.text, f"{match[1]} is {left.text}"
    return math.isclose(left.value, right.value, rel_tol=NEAR), f"{match[1]} is {left.text}"


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Quantities], tuple[bool, str]]], ...]
_FORMS = (
    (re.compile(rf"({_NAME}) is ({'|'.join([*VERDICTS, *SHORT])})"), _verdict),
    (re.compile(rf"({_NAME}) size ({'|'.join(SIZES)})"), _size),
    (re.compile(rf"({_ONE}) within ({_ONE}) ({_ONE})"), _within),
    (re.compile(rf"({_ONE}) includes ({_ONE})"), _includes),
    (re.compile(rf"({_ONE}) (~?)(>=|<=|>|<) ({_ONE})"), _order),
    (re.compile(r"(\S+) = (\S.*)"), _equal),
)

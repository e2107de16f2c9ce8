"""Numbers, intervals and p values as text. This is the one place that chooses digits, and units.

An estimate prints in one of four forms:

* `4.3 [2.1, 6.5]`, the usual one. The last digit is worth at most a third of the half width, and
  value and ends have the same decimals: rounding moves an end by at most a sixth of the half width,
  and no end prints as the value. Two significant digits of every half width, the obvious rule,
  would print 465.0 [462.0, 468.0] without more information. The smaller half counts in an
  asymmetric interval. An end that would print as 0 or 1, the values of no effect, and is not, has
  up to two decimals more: 23 [0, 46] would hide that the interval begins at -0.5.
* `92.560 ± 0.002`, if the usual form needs over MOST_DIGITS digits and the halves are alike. The
  half width is rounded up, so that the form includes all of the interval.
* `680 [110, 4200]`, with two significant digits, if the upper end is over WIDE times the lower.
* `at most 0.0001`, if all of an interval from 0 on lies next to nothing.
"""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from remeasure.bench.claims.questions import ChosenLevels, Question
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import Origin, Quoted, origins_of
from remeasure.paper.digits import rounded

NO_NUMBER = "n/a"
UNITS_OF_HALF = 3
"""least number of units of the last digit in the half width"""
MOST_DECIMALS = 9
MOST_DIGITS = 5
"""significant digits of a value that a reader compares with its two ends"""
MOST_DIGITS_ALONE = 4
"""significant digits of a value that is printed without its interval"""
ALIKE = 1.5
"""larger over smaller half of an interval, up to which one number gives both"""
WIDE = 20
"""upper over lower end from which an interval has two significant digits"""
NEXT_TO_NOTHING = 0.001
"""end, in the unit of the number, below which an interval from 0 on prints only its upper end:
nobody can read six decimals of a spread that hardly differs from 0"""
_LEAST_BOUND = 1e-4
"""least number that is printed as an upper bound"""
NO_EFFECT = (0.0, 1.0)
"""values of a difference and of a ratio without effect"""
_NOTHING = 1e-7
"""width of an interval, relative to its value, that is none: handed over numbers have nine digits
(remeasure.paper.digits), and their texts must not depend on more"""
LARGER: dict[str, tuple[int, str]] = {}
"""unit -> power of ten from which numbers are printed in a larger unit, and that unit. With
`{"Mbit/s": (3, "Gbit/s")}` tables, charts, answers and pages print 2762 Mbit/s as 2.762 Gbit/s"""
_STEPS = (1, 2, 5, 10)
INTERVAL = re.compile(r"\[[-\d.]+, ([-\d.]+|no end)\]|\d ± \d|\bequal to within \d")
"""how a text looks that is made of an estimate"""
_UNIT = r"(?:%|(?:[mµ]?s|[KG]iB|B|[MG]bit/s)\b)"
_TOGETHER = re.compile(
    rf"(?<=[\d\]]) (?={_UNIT})"
    r"|(?<=\d) (?=\[-?\d)|(?<=\d,) (?=(?:-?[\d.]+|no end)\])|(?<=\d) (?=±)|(?<=±) (?=\d)"
    r"|(?<=\d) (?=to -?\d)|(?<=\d to) (?=-?\d)"
)
"""spaces at which no line is broken"""


_DIGITS = re.compile(r"\d+(?:\.\d+)?")


def larger_unit(unit: str, most: float) -> tuple[int, str]:
    """The power of ten by which numbers up to `most` are divided in print, and the unit then."""
    power, larger = LARGER.get(unit, (0, unit))
    return (power, larger) if most >= 10**power else (0, unit)


def _moved(unit: str, *texts: str) -> tuple[str, list[str]]:
    """The unit for texts of numbers, and the texts in it, with the same digits."""
    firsts = (_DIGITS.search(text) for text in texts)
    power, unit = larger_unit(unit, max((float(one[0]) for one in firsts if one), default=0))

    def divided(number: re.Match[str]) -> str:
        return f"{Decimal(number[0]).scaleb(-power):f}"

    return unit, [Quoted(_DIGITS.sub(divided, text), origins_of(text)) for text in texts]


def column_in_larger_unit(heading: str, texts: Sequence[str]) -> tuple[str, Sequence[str]]:
    """A column of numbers under a heading that names their unit, in the larger unit (LARGER)."""
    for unit in LARGER:
        if unit in heading:
            larger, texts = _moved(unit, *texts)
            heading = heading.replace(unit, larger)
    return heading, texts


def in_larger_units(text: str) -> str:
    """A text whose numbers with a unit behind them are in the larger unit (LARGER)."""

    def number(match: re.Match[str]) -> str:
        larger, (moved,) = _moved(match[2], match[1])
        return f"{moved} {larger}"

    units = "|".join(map(re.escape, LARGER))
    form = rf"(\d[\d.]*(?: \[[^\]]*\]| ± [\d.]+)?) ({units})"
    return re.sub(form, number, text) if LARGER else text


def unbroken(text: str) -> str:
    """A text for a web page with no-break spaces inside intervals and before units."""
    return _TOGETHER.sub("\N{NO-BREAK SPACE}", text)


def number_text(value: float, digits: int = 3) -> str:
    """A value that has no interval, with `digits` significant digits and no exponent; 'n/a' for
    NaN."""
    if value is None or not math.isfinite(value):
        return NO_NUMBER
    if abs(value) < 1e-12:  # rounding error of 0
        return "0"
    return fixed(value, max(digits - 1 - math.floor(math.log10(abs(value))), 0))


def fixed(value: float, decimals: int) -> str:
    """The value with a number of decimals, never minus zero, rounded twice for the same text on
    every machine (remeasure.paper.digits)."""
    text = f"{rounded(value):.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text


def decimals(value: float, ends: Sequence[float]) -> int | None:
    """Decimals of a value and of the `ends` of its interval; None without an interval, or for one
    without width."""
    halves = [abs(end - value) for end in ends if math.isfinite(end)]
    wide = [half for half in halves if half > _NOTHING * max(abs(value), 1e-12)]
    if not wide:
        return None
    # A half of exactly three units must not depend on the last digit of a difference.
    needed = max(math.ceil(-math.log10(min(wide) / UNITS_OF_HALF) - 1e-6), 0)
    while needed < MOST_DECIMALS and any(_hides_its_side(end, needed) for end in ends):
        needed += 1
    return min(needed, MOST_DECIMALS)


def _hides_its_side(end: float, places: int) -> bool:
    """True if an end prints as a number of no effect, and two more decimals would show on which
    side of it the end lies."""
    if not math.isfinite(end):
        return False
    return any(
        fixed(end, places) == fixed(neutral, places)
        and fixed(end, places + 2) != fixed(neutral, places + 2)
        for neutral in NO_EFFECT
    )


def interval_text(value: float, low: float, high: float, origin: Origin | None = None) -> Quoted:
    """The value with its interval, in one of the forms of this module; an infinite end is 'no end'.
    Only the value without an interval, or if all blocks gave the same value."""
    if 0 <= low < high < NEXT_TO_NOTHING:
        return Quoted(f"at most {_upper_bound(high)}", [origin])
    numbers = _three(value, low, high)
    if numbers is None:
        return Quoted(_alone(value, low, high), [origin])
    shown, least, most = numbers
    text = f"{shown} [{least}, {most}]"
    if "." in shown and len(shown.replace(".", "").lstrip("-0")) > MOST_DIGITS:
        text = _plus_minus(value, low, high) or text
    return Quoted(text, [origin])


def estimate_text(found: Estimate) -> Quoted:
    """The estimate with its interval."""
    return interval_text(found.value, found.low, found.high, found.origin)


def value_text(found: Estimate) -> Quoted:
    """Only the estimate's value, with the digits that its interval allows, at most
    MOST_DIGITS_ALONE."""
    return Quoted(_alone(found.value, found.low, found.high), [found.origin])


def ends_text(found: Estimate) -> Quoted:
    """The ends of the estimate's interval: '2.1 to 6.5'; 'n/a' without an interval."""
    if math.isnan(found.low) or math.isnan(found.high):
        return Quoted(NO_NUMBER, [found.origin])
    numbers = _three(found.value, found.low, found.high)
    if numbers is None:
        return value_text(found).within("exactly {}")
    return Quoted(f"{numbers[1]} to {numbers[2]}", [found.origin])


def loss_in_words(found: Estimate) -> Quoted:
    """A loss [%] for a sentence: '1.0 [0.9, 1.1] % lost'; 'none lost (at most 0.01 %)' without a
    lost packet."""
    if found.value != 0:
        return estimate_text(found).within("{} % lost")
    if not math.isfinite(found.high) or found.high <= 0:
        return Quoted("none lost", [found.origin])
    return Quoted(f"none lost (at most {_upper_bound(found.high)} %)", [found.origin])


def p_text(p: float) -> str:
    """A p value as text; 'n/a' if the test is not defined."""
    if not math.isfinite(p):
        return NO_NUMBER
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _three(value: float, low: float, high: float) -> tuple[str, str, str] | None:
    """Value and ends with the same decimals; None without an interval, or for one without width."""
    places = decimals(value, (low, high))
    if places is None or math.isnan(low) or math.isnan(high):
        return None
    if places == 0 and low > 0 and math.isfinite(high) and high > WIDE * low:
        return _two_digits(value), _two_digits(low), _two_digits(high)
    return fixed(value, places), _end(low, places), _end(high, places)


def _plus_minus(value: float, low: float, high: float) -> str | None:
    """The form 92.560 ± 0.002; None for halves that differ, and if the form would include a value
    of no effect that the interval excludes."""
    wide, narrow = sorted((high - value, value - low), reverse=True)
    places = math.ceil(-math.log10(wide) - 1e-6) if math.isfinite(wide) else 0
    if places <= 0 or wide > ALIKE * narrow:
        return None
    shown = float(fixed(value, places))
    half = math.ceil(max(high - shown, shown - low) * 10**places - 1e-6) / 10**places
    for neutral in NO_EFFECT:
        if abs(neutral - shown) <= half * (1 + 1e-6) and not low <= neutral <= high:
            return None
    return f"{fixed(value, places)} ± {fixed(half, places)}"


def _alone(value: float, low: float, high: float) -> str:
    numbers = _three(value, low, high)
    if numbers is not None and "." not in numbers[0]:
        return numbers[0]
    places = decimals(value, (low, high))
    if places is not None:
        size = math.floor(math.log10(max(abs(value), 1e-12)))
        return fixed(value, min(places, max(MOST_DIGITS_ALONE - 1 - size, 0)))
    alike = math.isfinite(low) and math.isfinite(high)
    if alike and abs(value - round(value)) <= _NOTHING * max(abs(value), 1):
        return fixed(value, 0)  # a count that was the same in every block
    return number_text(value)


def _two_digits(value: float) -> str:
    power = 10 ** max(math.floor(math.log10(value)) - 1, 0)
    return fixed(round(value / power * (1 + 1e-9)) * power, 0)


def _end(end: float, places: int) -> str:
    if math.isinf(end):
        return "no end"
    return "0" if end == 0 else fixed(end, places)


def _upper_bound(value: float) -> str:
    """The next of 1, 2, 5, 10, 20, ... that is not below `value`, as text; 0.0001 at least."""
    value = max(value, _LEAST_BOUND)
    power = 10 ** math.floor(math.log10(value))
    return number_text(
        next(step * power for step in _STEPS if step * power >= value * (1 - _NOTHING)), 1
    )


def in_words(test: Question) -> str:
    """The question in words: 'ratio of goodput, payload small to payload large; transport udp'.
    Words differ for means and medians within trials: no two quantities share their words."""

    def words(before: str, levels: ChosenLevels) -> str:
        return before * bool(levels) + ", ".join(f"{f} {_said(v)}" for f, v in levels.items())

    text = test.metric if test.quantity == "level" else f"{test.quantity} of {test.metric}"
    text += words(", ", test.of) + words(" to ", test.to) + words(", above ", test.base)
    if test.over:
        text += f", {'by' if test.reduce == 'mean' else test.reduce + ' over'} {test.over}"
    text += words("; ", test.where)
    return text if test.within == "mean" else f"{text} ({test.within} within a trial)"


def in_brief(tests: list[Question]) -> list[str]:
    """The few words that distinguish the tests of a claim: 'max tcp', 'small to large'. Empty for a
    single test."""

    def parts(test: Question) -> dict[str, str]:
        def words(levels: ChosenLevels, before: str = "") -> dict[str, str]:
            return {before + factor: before + _said(v) for factor, v in levels.items()}

        of = test.where | test.of
        return {
            "quantity": "" if test.quantity == "level" else test.quantity,
            "reduce": "" if test.reduce == "mean" else test.reduce,
            "metric": test.metric.replace("_", " "),
            "probe": test.probe or "",
            **words(of),
            **words(_differing(test.to, of), "to "),
            **words(_differing(test.base, of), "above "),
        }

    described = [parts(test) for test in tests]
    telling = {
        key
        for one in described
        for key, text in one.items()
        if any(other.get(key) != text for other in described)
    }
    return [
        " ".join(text for key, text in one.items() if key in telling and text) for one in described
    ]


def _said(wanted: Any) -> str:
    """A level, or several, in words: '64/1024'."""
    return "/".join(map(str, wanted if isinstance(wanted, list) else [wanted]))


def _differing(levels: ChosenLevels, others: ChosenLevels) -> ChosenLevels:
    return {factor: level for factor, level in levels.items() if others.get(factor) != level}

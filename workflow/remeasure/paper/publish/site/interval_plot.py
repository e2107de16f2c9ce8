"""One part of a statement as a small picture: our interval, effects that do not matter, the number
of the study, and an axis with numbers."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from remeasure.bench.claims.questions import bounds
from remeasure.paper.publish.templates import macros

_WIDTH, _HEIGHT, _EDGE = 240, 20, 8
_AXIS = 16
"""height of the numbers below the picture"""
_WIDE = 3
"""last over first number of a scale of logarithms, from which its ends have one digit"""
_TICKS = 4
"""least steps of a round number between the ends of an axis"""
_APART = 46
"""least distance of two numbers of the axis"""
_LARGEST = 1e12
"""stands for a bound that is infinite, until the picture's edge cuts it"""
_SVG = macros(__file__, width=_WIDTH, height=_HEIGHT, axis=_AXIS)


def interval_plot(test: Mapping[str, Any], beside: Iterable[Mapping[str, Any]] = ()) -> str:
    """An SVG of a test of the ledger (analysis.entry.Part), '' if nothing was measured. A ratio has
    a scale of logarithms. `beside`: the tests of its statement; tests in the same unit share a
    scale. Classes of its marks: `band` (effects that do not matter; for a statement of bounds,
    `bounds`: allowed values), `none` (no effect), `ours`, `theirs`. The words next to it give the
    figures, so it is hidden from screen readers."""
    value, low, high = (test[name] for name in ("value", "low", "high"))
    if value is None:
        return ""
    kind, least, most, neutral = _band(test)
    alike = [one for one in beside if all(one[key] == test[key] for key in ("as_ratio", "unit"))]
    shown = _round_ends([number for one in (test, *alike) for number in _numbers(one)], test)
    place = _scale(shown, test["as_ratio"])
    left, right = (
        place(one if one is not None else by) for one, by in ((low, -_LARGEST), (high, _LARGEST))
    )
    least, most = place(least), place(most)
    ticks = _axis(shown if neutral is None else [neutral, *shown], place)
    return str(_SVG.picture(test, place, kind, left, right, least, most, neutral, ticks))


def _numbers(test: Mapping[str, Any]) -> list[float]:
    _, least, most, neutral = _band(test)
    found = (test["value"], test["low"], test["high"], test["study"], neutral)
    ends = [one for one in found if one is not None]
    ends += [one for one in (least, most) if math.isfinite(one)]
    return [one for one in ends if not test["as_ratio"] or one > 0]


def _band(test: Mapping[str, Any]) -> tuple[str, float, float, float | None]:
    """Class, least and most of the shaded area, and no effect if the statement is about one."""
    least, most = bounds(test["expect"])
    matters = test["matters"]
    if matters is None:
        return "bounds", least, most, None
    neutral = least if math.isfinite(least) else most
    if neutral == 1:
        return "band", 1 / matters, matters, 1
    return "band", -matters, matters, 0


def _round_ends(shown: list[float], test: Mapping[str, Any]) -> list[float]:
    """The ends of an axis around the numbers `shown`: the next round numbers outside."""
    first, last = min(shown), max(shown)
    if first == last:
        return [first, last]
    if test["as_ratio"] and last / first > _WIDE:
        down, up = (10.0 ** math.floor(math.log10(end)) for end in (first, last))
    else:
        step = (last - first) / _TICKS
        power = 10.0 ** math.floor(math.log10(step))
        down = up = power * max(one for one in (1, 2, 5) if one * power <= step * (1 + 1e-9))
    ends = (math.floor(first / down + 1e-9) * down, math.ceil(last / up - 1e-9) * up)
    ends = (ends[0] if ends[0] > 0 or not test["as_ratio"] else first, ends[1])
    return [float(f"{end:.10g}") for end in ends]


def _scale(shown: list[float], logarithmic: bool) -> Callable[[float], int]:
    """The place of a number, from the left edge; numbers outside are at an edge."""

    def on(number: float) -> float:
        if not logarithmic:
            return number
        return math.log(number) if number > 0 else -_LARGEST

    first, last = on(min(shown)), on(max(shown))
    span = (last - first) or 1.0

    def place(number: float) -> int:
        inner = _EDGE + (on(number) - first) / span * (_WIDTH - 2 * _EDGE)
        return round(min(max(inner, 0), _WIDTH))

    return place


def _axis(ticks: list[float], place: Callable[[float], int]) -> Iterator[tuple[int, int, str, str]]:
    """The numbers of `ticks` on the axis: place, place of the text, its anchor, and the text; of
    two that are too near, the first."""
    taken: list[int] = []
    for at, tick in ((place(tick), tick) for tick in ticks):
        if all(abs(at - other) >= _APART for other in taken):
            taken.append(at)
            anchor = "start" if at <= _EDGE else "end" if at >= _WIDTH - _EDGE else "middle"
            yield at, {"start": 0, "end": _WIDTH}.get(anchor, at), anchor, _short(tick)


def _short(number: float) -> str:
    """Three digits, and as many more as distinguish a number near 1 from 1."""
    near = abs(number - 1)
    digits = 3 if near == 0 or near > 0.01 else min(7, 2 - math.floor(math.log10(near)))
    return f"{number:.{digits}g}"

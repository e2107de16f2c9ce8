"""The meaning of the levels of a scenario's factors, in words and as numbers. A factor is a
*quantity* if its levels differ in only one number, and each has another. Names of factors and
levels do not matter: the level "10M" is 10 Mbit/s because of the field that it sets. The unit of a
field is in brackets in its docstring; a field given as text, such as the words of netem, becomes a
number by `numbers` of its model."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from remeasure.bench.base.config import Strict
from remeasure.bench.base.schema import field_docstrings
from remeasure.bench.campaign.factors import groups_of
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.treatments.shaping import DELAY, Shaping

_UNIT = re.compile(r" ?\[([^\]]+)\]")


class Number(NamedTuple):
    """A number that a level sets."""

    name: str
    """name of the field, or of the part of it"""
    value: float
    unit: str
    meaning: str
    """the meaning, in words"""


class Level(NamedTuple):
    """One level of a factor."""

    says: str
    """settings in which the factor's levels differ: '<setting>: <value>; ...'"""
    numbers: tuple[Number, ...]
    """the numbers among that; numbers of several places are one"""


class Quantity(NamedTuple):
    """A factor as numbers."""

    unit: str
    meaning: str
    values: Mapping[str, float]
    """level -> its value [unit]"""


class _Leaf(NamedTuple):
    """The value of one setting."""

    says: str
    numbers: tuple[Number, ...] = ()


_Leaves = dict[str, _Leaf]
"""setting, such as tunnel.link -> its value; without settings of a missing tunnel or
probe"""
_ABSENT = _Leaf("none")


def levels_of(scenario: Scenario) -> dict[str, dict[str, Level]]:
    """Factor, between trials or within them -> level -> its meaning."""
    found = {
        factor: {level: _level(leaves, differing) for level, leaves in levels.items()}
        for factor, levels, differing in _factors(scenario)
    }
    # Levels of one treatment under two names set nothing in which they differ.
    alike = {
        factor: {level: Level("", ()) for level in levels}
        for factor, levels in scenario.design.factors.items()
    }
    return alike | found


def quantities_of(scenario: Scenario) -> dict[str, Quantity]:
    """The factors that are quantities."""
    found = {}
    for factor, levels, differing in _factors(scenario):
        numbers = {level: _level(leaves, differing).numbers for level, leaves in levels.items()}
        quantity = _quantity(numbers)
        if quantity and not _differ_otherwise(levels, differing):
            found[factor] = quantity
    return found


def _quantity(levels: Mapping[str, Iterable[Number]]) -> Quantity | None:
    """The number in which all levels differ; None if there is none, or another differs too."""
    by_name: dict[tuple[str, str], dict[str, Number]] = {}
    for level, numbers in levels.items():
        for number in numbers:
            by_name.setdefault((number.name, number.unit), {})[level] = number
    differing = [
        of
        for of in by_name.values()
        if len({number.value for number in of.values()}) > 1 or len(of) < len(levels)
    ]
    if len(differing) != 1:
        return None
    (of,) = differing
    first = next(iter(of.values()))
    values = {level: number.value for level, number in of.items()}
    distinct = len({*values.values()}) == len(levels)
    return Quantity(first.unit, first.meaning, values) if distinct else None


def _differ_otherwise(levels: Mapping[str, _Leaves], differing: Iterable[str]) -> bool:
    """True if levels differ in more than numbers, and in probes that not all have."""
    for setting in differing:
        found = [leaves[setting] for leaves in levels.values() if setting in leaves]
        may_be_absent = setting.startswith("probes.") and _ABSENT in found
        if not may_be_absent and not all(leaf.numbers for leaf in found):
            return True
    return False


def _factors(scenario: Scenario) -> Iterator[tuple[str, dict[str, _Leaves], list[str]]]:
    """Each factor whose levels differ: its levels with their settings, and the settings in which
    they differ."""
    done = set()
    for group in groups_of(scenario):
        if group.factor not in done:
            levels = {
                level: _of_probe(group.probe, one)
                if isinstance(one, Probe)
                else _leaves(scenario, one)
                for level, one in group.levels.items()
            }
            if differing := _differing(levels):
                done.add(group.factor)
                yield group.factor, levels, differing


def _differing(levels: Mapping[str, _Leaves]) -> list[str]:
    settings = dict.fromkeys(setting for leaves in levels.values() for setting in leaves)

    def values(setting: str) -> set[_Leaf]:
        return {leaves[setting] for leaves in levels.values() if setting in leaves}

    return [setting for setting in settings if len(values(setting)) > 1]


def _leaves(scenario: Scenario, settings: Settings) -> _Leaves:
    """All settings of a cell. A probe that `each` makes into several has their common settings."""
    found = _of_model("", settings, leave_out={"tunnel", "shaping", "probes"})
    found["tunnel"] = _ABSENT
    if settings.tunnel:
        found["tunnel"] = _Leaf("yes" if settings.ipsec else settings.tunnel.kind)
        found |= _of_model("tunnel.", settings.tunnel)
    for place in scenario.shaped_places:
        found |= _of_model(f"shaping.{place}.", settings.shaping.get(place, Shaping()))
    for base in scenario.probes:
        found[f"probes.{base}"] = _ABSENT
        variants = [
            _of_probe(base, probe)
            for name, probe in settings.probes.items()
            if name.partition(".")[0] == base
        ]
        for first in variants[:1]:
            found |= {
                s: leaf for s, leaf in first.items() if all(v.get(s) == leaf for v in variants)
            }
    return found


def _of_probe(name: str, probe: Probe) -> _Leaves:
    kind = {f"probes.{name}": _Leaf(probe.kind)}
    return kind | _of_model(f"probes.{name}.", probe, leave_out={"levels"})


def _of_model(prefix: str, model: Strict, leave_out: Iterable[str] = ()) -> _Leaves:
    found: _Leaves = {}
    given = model.numbers()
    for field in type(model).model_fields:
        value = getattr(model, field)
        if field in leave_out:
            continue
        if isinstance(value, Strict):
            found |= _of_model(f"{prefix}{field}.", value)
        elif field in given:
            found[prefix + field] = _Leaf(
                _words(value),
                tuple(Number(name, float(n), *more) for name, (n, *more) in given[field].items()),
            )
        else:
            found[prefix + field] = _Leaf(_words(value), _number(model, field, value))
    return found


def _number(model: Strict, field: str, value: object) -> tuple[Number, ...]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    text = _docstrings(type(model)).get(field, "")
    unit = _UNIT.search(text)
    if not unit:
        return ()
    meaning = _UNIT.sub("", text.partition(";")[0]).strip()
    return (Number(field, float(value), unit[1], meaning),)


@cache
def _docstrings(model: type[Strict]) -> dict[str, str]:
    return field_docstrings(model)


def _words(value: object) -> str:
    if isinstance(value, tuple | list):
        return " ".join(map(_words, value))
    words: dict[object, str] = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _level(leaves: _Leaves, differing: Iterable[str]) -> Level:
    there = [(setting, leaves[setting]) for setting in differing if setting in leaves]
    by_name: dict[tuple[str, str], list[Number]] = {}
    for _, leaf in there:
        for number in leaf.numbers:
            by_name.setdefault((number.name, number.unit), []).append(number)
    says = "; ".join(f"{setting}: {leaf.says}" for setting, leaf in there)
    return Level(says, tuple(filter(None, map(_joined, by_name.values()))))


def _joined(numbers: list[Number]) -> Number | None:
    """The numbers of one name, set at several places, as one: delays add up, since a packet or its
    answer meets each; for other differing numbers there is none."""
    values = [number.value for number in numbers]
    if numbers[0].name == DELAY:
        return numbers[0]._replace(value=sum(values))
    return numbers[0] if len({*values}) == 1 else None

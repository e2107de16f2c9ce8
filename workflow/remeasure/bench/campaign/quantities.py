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


class LevelNumber(NamedTuple):
    """A number that a level sets."""

    name: str
    """name of the field, or of the part of it"""
    value: float
    unit: str
    meaning: str
    """the meaning, in words"""


class QuantityLevel(NamedTuple):
    """One level of a factor."""

    says: str
    """settings in which the factor's levels differ: '<setting>: <value>; ...'"""
    numbers: tuple[LevelNumber, ...]
    """the numbers among that; numbers of several places are one"""


class FactorQuantity(NamedTuple):
    """A factor as numbers."""

    unit: str
    meaning: str
    values: Mapping[str, float]
    """level -> its value [unit]"""


class _Leaf(NamedTuple):
    """The value of one setting."""

    says: str
    numbers: tuple[LevelNumber, ...] = ()


_Leaves = dict[str, _Leaf]
"""setting, such as tunnel.link -> its value; without settings of a missing tunnel or
probe"""
_ABSENT = _Leaf("none")
_docstrings = cache(field_docstrings)


def levels_of(scenario: Scenario) -> dict[str, dict[str, QuantityLevel]]:
    """Factor, between trials or within them -> level -> its meaning."""
    found = {
        factor: {level: _level(leaves) for level, leaves in levels.items()}
        for factor, levels in _factors(scenario).items()
    }
    # Levels of one treatment under two names set nothing in which they differ.
    alike = {
        factor: {level: QuantityLevel("", ()) for level in levels}
        for factor, levels in scenario.design.factors.items()
    }
    return alike | found


def quantities_of(scenario: Scenario) -> dict[str, FactorQuantity]:
    """The factors that are quantities."""
    found = {}
    for factor, levels in _factors(scenario).items():
        quantity = _quantity({level: _level(leaves).numbers for level, leaves in levels.items()})
        settings = {setting for leaves in levels.values() for setting in leaves}
        if quantity and all(_is_in_numbers(setting, levels) for setting in settings):
            found[factor] = quantity
    return found


def numbers_of(scenario: Scenario, factor: str, name: str = "") -> Mapping[str, float]:
    """Level of a factor -> the number called `name` that it sets; without `name`, the number in
    which levels differ. A factor of one level has the number of the field with the factor's name.
    Levels without such a number are left out."""
    if name:
        levels = levels_of(scenario).get(factor, {}).items()
        return {level: n.value for level, one in levels for n in one.numbers if n.name == name}
    if quantity := quantities_of(scenario).get(factor):
        return quantity.values
    alone = [one for one in groups_of(scenario) if one.factor == factor and len(one.levels) == 1]
    return {
        level: number.value
        for one in alone
        for level, model in one.levels.items()
        for number in _numbers(model, factor, getattr(model, factor, None))
    }


def _quantity(levels: Mapping[str, Iterable[LevelNumber]]) -> FactorQuantity | None:
    """The number in which all levels differ; None if there is none, or another differs too."""
    by_name: dict[tuple[str, str], dict[str, LevelNumber]] = {}
    for level, numbers in levels.items():
        for number in numbers:
            by_name.setdefault((number.name, number.unit), {})[level] = number
    differing = [
        of
        for of in by_name.values()
        if len({number.value for number in of.values()}) > 1 or len(of) < len(levels)
    ]
    if len(differing) != 1 or len({number.value for number in differing[0].values()}) < len(levels):
        return None
    _, _, unit, meaning = next(iter(differing[0].values()))
    return FactorQuantity(unit, meaning, {level: one.value for level, one in differing[0].items()})


def _is_in_numbers(setting: str, levels: Mapping[str, _Leaves]) -> bool:
    """Whether levels differ only by numbers in a setting, or by a probe that not all have."""
    found = [leaves[setting] for leaves in levels.values() if setting in leaves]
    may_be_absent = setting.startswith("probes.") and _ABSENT in found
    return may_be_absent or all(leaf.numbers for leaf in found)


def _factors(scenario: Scenario) -> dict[str, dict[str, _Leaves]]:
    """Each factor whose levels differ: its levels with the settings in which they do."""
    found: dict[str, dict[str, _Leaves]] = {}
    for group in groups_of(scenario):
        if group.factor in found:
            continue
        levels = {
            level: _of_probe(group.probe, one) if isinstance(one, Probe) else _leaves(scenario, one)
            for level, one in group.levels.items()
        }
        values: dict[str, set[_Leaf]] = {}
        for setting, leaf in (pair for leaves in levels.values() for pair in leaves.items()):
            values.setdefault(setting, set()).add(leaf)
        if differing := [setting for setting, found_at in values.items() if len(found_at) > 1]:
            found[group.factor] = {
                level: {one: leaves[one] for one in differing if one in leaves}
                for level, leaves in levels.items()
            }
    return found


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
    for field, value in model:
        if field in leave_out:
            continue
        if isinstance(value, Strict):
            found |= _of_model(f"{prefix}{field}.", value)
        else:
            found[prefix + field] = _Leaf(_words(value), tuple(_numbers(model, field, value)))
    return found


def _numbers(model: Strict, field: str, value: object) -> Iterator[LevelNumber]:
    """The numbers that a field sets: those that its model gives, or its value if it has a unit."""
    if given := model.numbers().get(field):
        yield from (LevelNumber(name, float(n), *more) for name, (n, *more) in given.items())
    elif isinstance(value, int | float) and not isinstance(value, bool):
        text = _docstrings(type(model)).get(field, "")
        if unit := _UNIT.search(text):
            meaning = _UNIT.sub("", text.partition(";")[0]).strip()
            yield LevelNumber(field, float(value), unit[1], meaning)


def _words(value: object) -> str:
    if isinstance(value, tuple | list):
        return " ".join(map(_words, value))
    words: dict[object, str] = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _level(leaves: _Leaves) -> QuantityLevel:
    by_name: dict[tuple[str, str], list[LevelNumber]] = {}
    for leaf in leaves.values():
        for number in leaf.numbers:
            by_name.setdefault((number.name, number.unit), []).append(number)
    says = "; ".join(f"{setting}: {leaf.says}" for setting, leaf in leaves.items())
    return QuantityLevel(says, tuple(filter(None, map(_joined, by_name.values()))))


def _joined(numbers: list[LevelNumber]) -> LevelNumber | None:
    """The numbers of one name, set at several places, as one: delays add up, since a packet or its
    answer meets each; for other differing numbers there is none."""
    values = [number.value for number in numbers]
    if numbers[0].name == DELAY:
        return numbers[0]._replace(value=sum(values))
    return numbers[0] if len({*values}) == 1 else None

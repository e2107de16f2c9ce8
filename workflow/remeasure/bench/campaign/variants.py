"""Factors within a trial: one probe of a scenario file made into several by its field `each`.

    flow:
      probe: ditg
      each:
        transport: [tcp, udp]                              # a field of the probe, and its values
        load: {moderate: {rate: 500pps}, saturation: {rate: 120mbit}}     # a level sets fields

All combinations of levels are measured in every trial, over one tunnel, in random order.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from remeasure.bench.base.columns import RESERVED

# Names become columns of tables and parts of file names.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{,31}")
_NAME_IS = "letters, digits, '_' and '-', beginning with a letter, at most 32"
_LEVEL = re.compile(r"[A-Za-z0-9+-][A-Za-z0-9._+-]{,31}")
_LEVEL_IS = "letters, digits, '.', '_', '+' and '-', at most 32"


def variants(name: str, fields: object) -> Iterator[tuple[str, object]]:
    """Yield <name>.<level>... and its fields, for every combination of levels; `name` and `fields`
    unchanged if there is no `each`.

    Raises ValueError naming what is wrong in `each`.
    """
    if "." in name:
        raise ValueError(f"{name}: the name of a probe has no dot")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name}: not a name of a probe; expected {_NAME_IS}")
    if not isinstance(fields, dict) or "each" not in fields:
        yield name, fields
        return
    base = {key: value for key, value in fields.items() if key != "each"}
    each = fields["each"]
    if not isinstance(each, dict) or not each:
        raise ValueError(f"{name}.each: found {each!r}, expected factor: levels")
    factors = {
        factor: _levels(f"{name}.each.{factor}", factor, levels) for factor, levels in each.items()
    }
    for factor, of_factor in factors.items():
        check_factor(f"{name}.each.{factor}", factor, of_factor)
    for combination in itertools.product(*(levels.items() for levels in factors.values())):
        levels = dict(zip(factors, (level for level, _ in combination), strict=True))
        settings = {key: value for _, part in combination for key, value in part.items()}
        yield ".".join([name, *levels.values()]), base | settings | {"levels": levels}


def check_factor(where: str, factor: str, levels: Iterable[str]) -> None:
    """Raises ValueError if a factor or one of its levels cannot have this name."""
    if factor in RESERVED:
        raise ValueError(f"{where}: the tables have a column of this name")
    if not _NAME.fullmatch(factor):
        raise ValueError(f"{where}: not a name of a factor; expected {_NAME_IS}")
    for level in levels:
        if not _LEVEL.fullmatch(level):
            raise ValueError(f"{where}: level {level!r}: not a name; expected {_LEVEL_IS}")
    require_distinct(f"{where}: levels", levels)


def require_distinct(what: str, names: Iterable[str]) -> None:
    """Raises ValueError if two names differ in case alone: files are named after them, and some
    file systems do not tell those apart."""
    known: dict[str, str] = {}
    for name in names:
        if other := known.get(name.lower()):
            raise ValueError(f"{what}: found {other} and {name}; expected more than case to differ")
        known[name.lower()] = name


def _levels(where: str, factor: str, levels: object) -> dict[str, dict[str, Any]]:
    if isinstance(levels, list) and levels:
        return {str(value): {factor: value} for value in levels}
    if isinstance(levels, dict) and levels and all(isinstance(v, dict) for v in levels.values()):
        return {str(level): settings for level, settings in levels.items()}
    raise ValueError(f"{where}: found {levels!r}, expected a list of values, or level: fields")

"""A scenario made of one cell of another one, under two names: A against A."""

from collections.abc import Mapping, Sequence
from typing import Any

from remeasure.campaign.scenario import Cell, Scenario, key_of, scenario_path
from remeasure.campaign.settings import Settings, overlay
from remeasure.errors import UserError

TWIN = "twin"
"""the factor whose two levels are the two names"""
NAMES = ("a", "b")


def against_itself(
    scenario: Scenario,
    cell: Cell,
    probes: tuple[str, ...] = (),
    only: Mapping[str, Sequence[str]] | None = None,
    repeats: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Scenario:
    """`cell` of `scenario` as a scenario of its own, with factor `twin`, whose levels a and b
    change nothing; the other factors have the cell's level alone. `probes`: names of the probes to
    keep, without the levels that `each` gives them; none: all. `only`: factor within trials -> its
    levels to keep. `repeats`: runs of each of these probes in a trial; None: as the scenario says.
    `settings`: settings to lay over the cell's; None: none. Raises UserError if the cell has no
    such probe or level, or if the scenario has a factor `twin` already.
    """
    only, source, design = only or {}, scenario_path(scenario.name), scenario.document
    if TWIN in design["factors"]:
        raise UserError(
            f"{source}: factors.{TWIN}: `remeasure aa` needs this name; rename the factor"
        )
    kept = _kept_probes(scenario, cell, probes)
    _require_levels(scenario.settings(cell), kept, only)
    often = {} if repeats is None else {"repeats": repeats}

    def part(settings: dict[str, Any]) -> dict[str, Any]:
        named = settings.get("probes") or {}
        left = {name: _at(named[name], only) | often for name in named if name in kept}
        return settings | {"probes": left}

    factors = design["factors"]
    levels = {factor: {level: part(factors[factor][level])} for factor, level in cell.items()}
    if settings:
        factor, level = list(cell.items())[-1]
        levels[factor][level] = overlay(levels[factor][level], settings)
    document = part({key: value for key, value in design.items() if key != "only"}) | {
        "title": f"{design['title']}: {key_of(cell)} against itself",
        "factors": {TWIN: {name: {} for name in NAMES}} | levels,
    }
    origin = f"{source}, --settings" if settings else str(source)
    return Scenario(scenario.name, document, scenario.profile, origin)


def _kept_probes(scenario: Scenario, cell: Cell, probes: tuple[str, ...]) -> set[str]:
    """The probes of a cell that are named; none: all. Raises UserError for one that it lacks."""
    known = list(dict.fromkeys(name.split(".")[0] for name in scenario.settings(cell).probes))
    if unknown := [name for name in probes if name not in known]:
        raise UserError(
            f"--probes: found {', '.join(unknown)}, expected probes of cell {key_of(cell)} of "
            f"{scenario.name}: {', '.join(known)}"
        )
    return set(probes or known)


def _require_levels(settings: Settings, kept: set[str], only: Mapping[str, Sequence[str]]) -> None:
    """Raises UserError naming what no probe that is kept has."""
    found: dict[str, list[str]] = {}
    for name, probe in settings.probes.items():
        for factor, level in probe.levels.items() if name.split(".")[0] in kept else ():
            found.setdefault(factor, []).append(level)
    for factor, levels in only.items():
        known = list(dict.fromkeys(found.get(factor, [])))
        missing = [level for level in levels if level not in known]
        if not known:
            named = ", ".join(found) or "there is none"
            raise UserError(f"--only: found {factor}, expected a factor within trials: {named}")
        if missing:
            raise UserError(
                f"--only {factor}: found {missing[0]}, expected levels of it: {', '.join(known)}"
            )


def _at(probe: dict[str, Any], only: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The settings of a probe, of whose `each` the levels `only` are left."""
    if "each" not in probe:
        return probe
    left = {
        factor: [level for level in levels if str(level) in only[factor]]
        if isinstance(levels, list)
        else {level: levels[level] for level in levels if str(level) in only[factor]}
        for factor, levels in probe["each"].items()
        if factor in only
    }
    return probe | {"each": probe["each"] | left}

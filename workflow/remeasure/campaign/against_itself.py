"""A scenario made of one cell of another one, under two names: A against A."""

from remeasure.campaign.scenario import Cell, Scenario, key_of, scenario_path
from remeasure.errors import UserError

TWIN = "twin"
"""the factor whose two levels are the two names"""
NAMES = ("a", "b")


def against_itself(scenario: Scenario, cell: Cell, probes: tuple[str, ...] = ()) -> Scenario:
    """`cell` of `scenario` as a scenario of its own, with factor `twin`, whose levels a and b
    change nothing; the other factors have the cell's level alone. `probes`: names of the probes to
    keep, without the levels that `each` gives them; none: all.

    Raises UserError if the cell has no such probe, or if the scenario has a factor `twin` already.
    """
    source = scenario_path(scenario.name)
    design = scenario.document
    if TWIN in design["factors"]:
        raise UserError(f"{source}: factors.{TWIN}: this name is that of A against A; rename it")
    known = list(dict.fromkeys(name.split(".")[0] for name in scenario.settings(cell).probes))
    if unknown := [name for name in probes if name not in known]:
        raise UserError(
            f"--probes: found {', '.join(unknown)}, expected probes of cell {key_of(cell)} of "
            f"{scenario.name}: {', '.join(known)}"
        )
    kept = set(probes or known)

    def part(settings: dict) -> dict:
        """The settings without the probes that are not kept."""
        named = settings.get("probes") or {}
        return settings | {"probes": {name: named[name] for name in named if name in kept}}

    levels = {
        factor: {level: part(design["factors"][factor][level])} for factor, level in cell.items()
    }
    document = part({key: value for key, value in design.items() if key != "only"}) | {
        "title": f"{design['title']}: {key_of(cell)} against itself",
        "factors": {TWIN: {name: {} for name in NAMES}} | levels,
    }
    return Scenario(scenario.name, document, scenario.profile, str(source))

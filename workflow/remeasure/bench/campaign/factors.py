"""Settings behind the levels of a scenario's factors, which decide how results by them may be read.
The name of a factor does not matter: it may be `suite`, `cipher` or `x`. We compare the settings of
cells that differ in only one factor."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from remeasure.bench.base.config import Strict
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec import kinds
from remeasure.bench.probes.base import Probe

Setting = tuple[type[Strict], str]
"""a model of settings (Settings, Tunnel, a probe), and the name of a field of it"""


class LevelGroup(NamedTuple):
    """The levels of a factor among cells that agree in all other factors."""

    factor: str
    levels: dict[str, Settings | Probe]
    """level -> the settings of its cell; of a factor within trials, its probe"""
    probe: str = ""
    """of a factor within trials: name of its probe, without levels"""


COST = "cost"
"""how much a processor works for a bit of payload: cipher, mode or number of SAs, size of packets,
transport, receive offload (`cost_fields` of Settings, Tunnel and probes)"""
SIZE = "size"
"""how long the packets are that carry the payload (`size_fields` of a probe)"""
SUITE = "suite"
"""how packets are protected (`protection_fields` of Tunnel; no tunnel), and nothing else"""
ENDS = "ends"
"""how the ends of a tunnel compute: protect packets, or set up the IKE_SA (`set_up_fields` of
Tunnel), and nothing else that a transfer is made of"""
_TUNNELS = [kind.settings for kind in kinds.KINDS.values()]
_PROTECTION = {
    (Settings, "tunnel"),
    *((model, field) for model in _TUNNELS for field in model.protection_fields),
}
_ENDS = {
    *((Settings, field) for field in Settings.cost_fields),
    *((m, field) for m in _TUNNELS for field in m.cost_fields | m.set_up_fields),
}


class Worlds(NamedTuple):
    """A factor that sets only instructions, and two levels of it."""

    factor: str
    without: str
    """level that leaves the kernel none of the processor's instructions for cryptography"""
    with_all: str
    """level that leaves the kernel all of them"""


def worlds_of(scenario: Scenario) -> Worlds | None:
    """The two worlds in which statements on suites are asked; None if the scenario has no factor
    with both."""
    for factor, settings in settings_of_factors(scenario).items():
        if settings != {(Settings, "instructions")}:
            continue
        levels = {
            one: scenario.settings_where(**{factor: one}).instructions
            for one in scenario.design.factors[factor]
        }
        without = [one for one, left in levels.items() if left and left.none]
        with_all = [one for one, left in levels.items() if left and not left.without]
        if without and with_all:
            return Worlds(factor, without[0], with_all[0])
    return None


def factors_that_set(scenario: Scenario, kind: str) -> frozenset[str]:
    """The factors, between trials or within them, whose levels differ in settings of a kind: COST,
    SIZE, SUITE or ENDS. A factor that sets something else, such as links, has none."""
    return frozenset(f for f, one in settings_of_factors(scenario).items() if kind in _kinds(one))


def settings_of_factors(scenario: Scenario) -> dict[str, set[Setting]]:
    """Factor, between trials or within them -> the settings in which its levels differ."""
    found: dict[str, set[Setting]] = {}
    for group in groups_of(scenario):
        settings = found.setdefault(group.factor, set())
        for one, other in combinations(group.levels.values(), 2):
            settings |= _between(one, other)
    return found


def groups_of(scenario: Scenario) -> Iterator[LevelGroup]:
    """Each factor, between trials or within them, once per combination of the other factors. A cell
    without a tunnel shows no field of one, so no single group stands for all."""
    for factor in scenario.design.factors:
        groups: dict[tuple[Any, ...], dict[str, Settings | Probe]] = {}
        for cell in scenario.all_cells:
            rest = tuple(pair for pair in cell.items() if pair[0] != factor)
            groups.setdefault(rest, {})[cell[factor]] = scenario.settings(cell)
        yield from (LevelGroup(factor, groups[rest]) for rest in sorted(groups))
    within: dict[tuple[Any, ...], LevelGroup] = {}
    for cell in scenario.all_cells:
        for name, probe in scenario.settings(cell).probes.items():
            base = name.partition(".")[0]
            for factor, level in probe.levels.items():
                rest = tuple(pair for pair in probe.levels.items() if pair[0] != factor)
                group = within.setdefault((factor, base, rest), LevelGroup(factor, {}, base))
                group.levels.setdefault(level, probe)
    yield from within.values()


def _kinds(settings: set[Setting]) -> set[str]:
    found = set()
    if any(field in getattr(model, "cost_fields", ()) for model, field in settings):
        found = {COST}
    if any(field in getattr(model, "size_fields", ()) for model, field in settings):
        found = {COST, SIZE}
    if settings and settings <= _PROTECTION:
        found.add(SUITE)
    # A probe without traffic, or one that a level leaves out, is no part of a transfer.
    of_transfers = {
        (model, field)
        for model, field in settings
        if model is not Settings or field != "probes"
        if not issubclass(model, Probe) or model.ends is not Probe.ends
    }
    return found | {ENDS} if of_transfers and of_transfers <= _ENDS else found


def _between(one: Settings | Probe, other: Settings | Probe) -> set[Setting]:
    if isinstance(one, Probe) or isinstance(other, Probe):
        alike = type(one) is type(other)
        return _differing(one, other) - {(type(one), "levels")} if alike else {(Settings, "probes")}
    found = _differing(one, other)
    if one.tunnel and type(one.tunnel) is type(other.tunnel):
        found -= {(Settings, "tunnel")}
        found |= _differing(one.tunnel, other.tunnel)
    if one.probes.keys() == other.probes.keys():
        found -= {(Settings, "probes")}
    for name in one.probes.keys() & other.probes.keys():
        found |= _between(one.probes[name], other.probes[name])
    return found


def _differing(one: Strict, other: Strict) -> set[Setting]:
    model = type(one)
    return {(model, f) for f in model.model_fields if getattr(one, f) != getattr(other, f)}

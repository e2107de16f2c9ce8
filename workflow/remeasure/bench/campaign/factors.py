"""What the levels of a scenario's factors set, which decides how results by them may be read.

The name of a factor says nothing: a scenario may call it `suite`, `cipher` or `x`. So the settings
of cells that differ in one factor alone are compared.
"""

from collections.abc import Iterator
from itertools import combinations, groupby
from typing import Any

from remeasure.bench.base.config import Strict
from remeasure.bench.campaign.scenario import Cell, Scenario
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.ipsec.tunnel import Tunnel
from remeasure.bench.probes.base import Probe

Setting = tuple[type[Strict], str]
"""a model of settings (Settings, Tunnel, a probe), and the name of a field of it"""

COST = "cost"
SIZE = "size"
SUITE = "suite"
ENDS = "ends"
KINDS = {
    COST: "how much a processor works for a bit of payload: cipher, mode or number of SAs, size of "
    "packets, transport, receive offload (`cost_fields` of Settings, Tunnel and probes)",
    SIZE: "how long the packets are that carry the payload (`size_fields` of a probe)",
    SUITE: "how packets are protected (`protection_fields` of Tunnel; no tunnel), and nothing else",
    ENDS: "what the ends of a tunnel compute: how they protect packets, or set up the IKE_SA "
    "(`set_up_fields` of Tunnel), and nothing else that a transfer is made of",
}
"""kind of what a factor sets -> its meaning"""
_PROTECTION = {(Settings, "tunnel"), *((Tunnel, field) for field in Tunnel.protection_fields)}
_ENDS = {
    *((Settings, field) for field in Settings.cost_fields),
    *((Tunnel, field) for field in Tunnel.cost_fields | Tunnel.set_up_fields),
}


def what_levels_set(scenario: Scenario) -> dict[str, set[str]]:
    """Factor, between trials or within them -> the KINDS of settings in which its levels differ;
    none for a factor that sets something else, such as links."""
    return {factor: _kinds(found) for factor, found in settings_of_factors(scenario).items()}


def factors_that_set(scenario: Scenario, kind: str) -> frozenset[str]:
    """The factors whose levels differ in settings of one of KINDS."""
    return frozenset(f for f, kinds in what_levels_set(scenario).items() if kind in kinds)


def settings_of_factors(scenario: Scenario) -> dict[str, set[Setting]]:
    """Factor, between trials or within them -> the settings in which its levels differ."""
    found: dict[str, set[Setting]] = {factor: set() for factor in scenario.design.factors}
    for factor in scenario.design.factors:
        for one, other in _pairs(scenario, factor):
            found[factor] |= _between_cells(one, other)
    for cell in scenario.all_cells:
        for factor, probe, further in _within(scenario.settings(cell)):
            found.setdefault(factor, set()).update(_between_probes(probe, further))
    return found


def _kinds(settings: set[Setting]) -> set[str]:
    sizes = {field in model.size_fields for model, field in settings if issubclass(model, Probe)}
    costs = {
        field in model.cost_fields
        for model, field in settings
        if issubclass(model, (Settings, Tunnel, Probe))
    }
    found = {SIZE, COST} if True in sizes else {COST} if True in costs else set()
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


def _pairs(scenario: Scenario, factor: str) -> Iterator[tuple[Settings, Settings]]:
    """Settings of each two cells that differ in this factor alone. Beside a cell without a tunnel
    no field of one shows, so no cell stands for all."""

    def others(cell: Cell) -> list[tuple[str, str]]:
        return [(name, level) for name, level in cell.items() if name != factor]

    for _, group in groupby(sorted(scenario.all_cells, key=others), others):
        yield from combinations([scenario.settings(cell) for cell in group], 2)


def _within(settings: Settings) -> Iterator[tuple[str, Probe, Probe]]:
    """Each factor within trials, with two probes that differ in its level alone."""
    first: dict[tuple[Any, ...], Probe] = {}
    for name, probe in settings.probes.items():
        for factor in probe.levels:
            rest = tuple((f, level) for f, level in probe.levels.items() if f != factor)
            one = first.setdefault((name.partition(".")[0], factor, rest), probe)
            yield factor, one, probe


def _between_cells(one: Settings, other: Settings) -> set[Setting]:
    found = _differing(one, other)
    if one.tunnel and other.tunnel:
        found -= {(Settings, "tunnel")}
        found |= _differing(one.tunnel, other.tunnel)
    if one.probes.keys() == other.probes.keys():
        found -= {(Settings, "probes")}
    for name in one.probes.keys() & other.probes.keys():
        found |= _between_probes(one.probes[name], other.probes[name])
    return found


def _between_probes(one: Probe, other: Probe) -> set[Setting]:
    if type(one) is not type(other):
        return {(Settings, "probes")}
    return _differing(one, other) - {(type(one), "levels")}


def _differing(one: Strict, other: Strict) -> set[Setting]:
    """Fields in which two of one model differ."""
    model = type(one)
    return {(model, f) for f in model.model_fields if getattr(one, f) != getattr(other, f)}

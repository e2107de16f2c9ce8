"""Profile smoke: few trials, in which everything that scenarios use happens once."""

from collections.abc import Iterator
from typing import Any

import pytest

from remeasure.bench.base.names import scenario_names
from remeasure.bench.campaign.scenario import Settings, load_scenario

SCENARIOS = scenario_names()


def fields_set(settings: Settings) -> set[str]:
    """Fields that a cell sets, as paths without names of interfaces and probes. How often a probe
    runs is no feature."""
    found = settings.model_dump(exclude_defaults=True)
    probes, shaping = found.pop("probes"), found.pop("shaping", {})
    parts = [("", found), *(("shaping", one) for one in shaping.values())]
    parts += [(f"probe {settings.probes[name].kind}", probe) for name, probe in probes.items()]
    paths = {f"{part}.{path}" for part, document in parts for path in ("", *_paths(document))}
    return {path for path in paths if not path.endswith(".repeats")}


def _paths(document: dict[str, Any]) -> Iterator[str]:
    for key, value in document.items():
        yield key
        if isinstance(value, dict):
            yield from (f"{key}.{path}" for path in _paths(value))


@pytest.mark.parametrize("name", SCENARIOS)
def test_smoke_has_four_trials_of_a_scenario_at_most(name):
    assert len(load_scenario(name, "smoke").cells) <= 4


def test_smoke_uses_everything_once():
    smoke, paper = (
        {
            path
            for name in SCENARIOS
            for scenario in [load_scenario(name, profile)]
            for cell in scenario.cells
            for path in fields_set(scenario.settings(cell))
        }
        for profile in ("smoke", "paper")
    )
    assert sorted(paper - smoke) == []

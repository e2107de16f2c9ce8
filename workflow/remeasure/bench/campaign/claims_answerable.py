"""Whether trials of a scenario can answer what a study's claims ask: checked before any is made."""

from collections.abc import Iterator
from typing import Any

from remeasure.bench.base.config import near
from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.questions import Question
from remeasure.bench.probes.base import Probe
from remeasure.bench.probes.metrics import DERIVED, UndeclaredMetric


def check_asked(study: Published, scenario: Scenario, source: str) -> None:
    """Check that each question of `study`, read from the file `source`, names metrics, probes,
    factors and levels that the scenario has. Raises UserError naming the first that it has not."""
    probes = _probes(scenario)
    for table, rows in study.tables.items() if scenario.name == study.scenario else ():
        for number, row in enumerate(rows, 1):
            for complaint in _of_row(row, _factors(scenario, probes), probes):
                raise UserError(f"{source}: tables.{table}.{number}: {complaint}")
    for claim in study.claims:
        for field, tests in (("tests", claim.tests), ("primary", claim.primary)):
            for number, test in enumerate(tests, 1):
                for complaint in _complaints(test, study, scenario, probes):
                    raise UserError(f"{source}: claim {claim.id}: {field}.{number}: {complaint}")


def _complaints(
    test: Question, study: Published, scenario: Scenario, probes: dict[str, list[Probe]]
) -> Iterator[str]:
    """What the scenario lacks for a question."""
    yield from _of_metric(test, probes)
    factors = _factors(scenario, probes)
    for place in ("where", "of", "to", "base"):
        for factor, wanted in getattr(test, place).items():
            if factor not in factors:
                yield f"{place}: no factor {factor!r}; known: {', '.join(factors)}"
                continue
            known = factors[factor] and factors[factor] | {*study.groups.get(factor, {})}
            for level in wanted if isinstance(wanted, list) else [wanted]:
                if known and str(level) not in known:
                    yield f"{place}.{factor}: no level {level!r}; known: {', '.join(sorted(known))}"
    for place in ("over", "among"):
        factor = getattr(test, place)
        if factor not in (None, "cells", *factors):
            yield f"{place}: no factor {factor!r}; known: {', '.join(factors)}"


def _of_row(
    row: dict[str, Any], factors: dict[str, set[str]], probes: dict[str, list[Probe]]
) -> Iterator[str]:
    """What the scenario lacks for a row of a table, whose fields may be named after factors."""
    for factor in row.keys() & factors.keys():
        if factors[factor] and row[factor] not in factors[factor]:
            yield f"{factor}: no level {row[factor]!r}{near(str(row[factor]), factors[factor])}"
    if "metric" in row and not any(_has(p, row["metric"]) for p in probes.get(row["probe"], [])):
        yield f"metric: found {row['metric']!r}, which probe {row['probe']} does not have"


def _of_metric(test: Question, probes: dict[str, list[Probe]]) -> Iterator[str]:
    if test.probe is not None and test.probe not in probes:
        yield f"probe: found {test.probe!r}, expected one of {', '.join(probes)}"
        return
    asked = [probe for name, of in probes.items() if test.probe in (None, name) for probe in of]
    if test.metric not in DERIVED and not any(_has(probe, test.metric) for probe in asked):
        known = dict.fromkeys(name for probe in asked for name in probe.metrics)
        yield f"metric: found {test.metric!r}, expected one of {', '.join([*known, *DERIVED])}"


def _probes(scenario: Scenario) -> dict[str, list[Probe]]:
    """Name of a probe, without levels -> the probes that have it in some cell."""
    found: dict[str, list[Probe]] = {}
    for cell in scenario.all_cells:
        for name, probe in scenario.settings(cell).probes.items():
            found.setdefault(name.partition(".")[0], []).append(probe)
    return found


def _factors(scenario: Scenario, probes: dict[str, list[Probe]]) -> dict[str, set[str]]:
    """Factor -> its levels; empty for a factor within a trial, whose levels a profile chooses."""
    within = {
        factor: set[str]() for of in probes.values() for probe in of for factor in probe.levels
    }
    between = {factor: {*levels} for factor, levels in scenario.design.factors.items()}
    return {"probe": {*probes}, **between, **within}


def _has(probe: Probe, metric: str) -> bool:
    try:
        probe.metrics.of(metric)
    except UndeclaredMetric:
        return False
    return True

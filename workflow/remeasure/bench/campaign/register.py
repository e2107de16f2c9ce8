"""The register: each claim of the studies by the hash of its deciding fields, frozen when a
campaign begins to measure the claim's scenario.

A claim that equals its registered form is older than the data: its bounds cannot have been chosen
to suit them. The code that turns trials into verdicts is registered by its commit, which
campaign.yaml has as `software`: `remeasure register` compares verdicts by that code and by today's.

Claims are checked before any trial: trials of the scenario must be able to answer them.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Literal

from remeasure.bench.base.config import near
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.claims import published
from remeasure.bench.claims.published import Published, studies_of, with_ours
from remeasure.bench.claims.questions import Question
from remeasure.bench.claims.rules import PRESENT
from remeasure.bench.probes.base import Probe
from remeasure.bench.probes.metrics import DERIVED

Standing = Literal["before", "changed since", "no record"]
"""standing of a claim in a campaign: as registered; changed or written later; without a register of
its scenario"""
WORDS = ("note", "published", "because", "recomputed")
"""fields that explain or accompany a claim and decide nothing"""
REASONS = ("ours", "circular", "not_testable")
"""fields of a claim that decide by being there; their text gives the reason"""
_SINCE_2 = ("primary", "preferred")
"""fields of a claim that decide from version 2 of the rules on"""


def register(scenario: str, rules: int = PRESENT) -> dict[str, str]:
    """Claim -> hash under this version of the rules, for all claims on trials of `scenario`. Raises
    UserError naming the study's file and the wrong field: only a claim can be registered."""
    return {
        claim["id"]: claim_hash(claim, study.groups, rules)
        for study in studies_of(scenario, names=with_ours())
        for claim in _documents(study)
    }


def check_claims(scenario: Scenario) -> None:
    """Check that trials of the scenario can answer its claims. Raises UserError naming the study's
    file, the claim and the error."""
    for study in studies_of(scenario.name, names=with_ours()):
        check_asked(study, scenario, f"{published.FOLDER / study.name}.yaml")


def claim_hash(claim: dict[str, Any], groups: dict[str, dict[str, Any]], rules: int) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a claim's deciding fields: its entry
    without explanations, and the study's groups of levels, which the entry may name. The order of
    keys does not count."""
    later = _SINCE_2 if rules < 2 else ()
    entry = {key: value for key, value in claim.items() if key not in later}
    deciding = _without_words(entry) | {reason: True for reason in REASONS if claim.get(reason)}
    text = json.dumps({"claim": deciding, "groups": groups}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _documents(study: Published) -> list[dict[str, Any]]:
    """The entries of the study's claims as its file has them, each with the better scenarios that
    answer it."""
    asked = {claim.id for claim in study.claims}
    document: Any = read_yaml(published.FOLDER / f"{study.name}.yaml")
    found = [claim for claim in document.get("claims", []) if claim["id"] in asked]
    better = {claim["id"]: study.places(claim["id"])[:-1] for claim in found}
    return [one | {"preferred": better[one["id"]]} if better[one["id"]] else one for one in found]


def _without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_words(v) for key, v in value.items() if key not in WORDS}
    return [_without_words(one) for one in value] if isinstance(value, list) else value


def check_asked(study: Published, scenario: Scenario, source: str) -> None:
    """Check that each question of `study`, read from the file `source`, names metrics, probes,
    factors and levels of the scenario. A profile may leave cells out, and statements without an
    answer: `remeasure plan` lists those. Raises UserError naming the first missing one."""
    probes = scenario.probes
    factors = _factors(scenario, probes)
    for table, rows in study.tables.items() if scenario.name == study.scenario else ():
        for number, row in enumerate(rows, 1):
            for complaint in _of_row(row, factors, probes):
                raise UserError(f"{source}: tables.{table}.{number}: {complaint}")
    for claim in study.claims:
        for field, tests in (("tests", claim.tests), ("primary", claim.primary)):
            for number, test in enumerate(tests, 1):
                for complaint in _complaints(test, study, factors, probes):
                    raise UserError(f"{source}: claim {claim.id}: {field}.{number}: {complaint}")


def _complaints(
    test: Question,
    study: Published,
    factors: dict[str, set[str] | None],
    probes: dict[str, list[Probe]],
) -> Iterator[str]:
    """The scenario's missing parts for a question."""
    yield from _of_metric(test, probes)
    for place in ("where", "of", "to", "base"):
        for factor, wanted in getattr(test, place).items():
            if factor not in factors:
                yield f"{place}: no factor {factor!r}; known: {', '.join(factors)}"
                continue
            levels, groups = factors[factor], study.groups.get(factor, {})
            named = groups.get(wanted, wanted) if isinstance(wanted, str) else wanted
            for level in named if isinstance(named, list) else [named]:
                if levels is not None and str(level) not in levels:
                    known = ", ".join(sorted({*levels, *groups}))
                    yield f"{place}.{factor}: no level {level!r}; known: {known}"
    for place in ("over", "among"):
        factor = getattr(test, place)
        if factor not in (None, "cells", *factors):
            yield f"{place}: no factor {factor!r}; known: {', '.join(factors)}"


def _of_row(
    row: dict[str, Any], factors: dict[str, set[str] | None], probes: dict[str, list[Probe]]
) -> Iterator[str]:
    """The scenario's missing parts for a row of a table, whose fields may be named after
    factors."""
    for factor in row.keys() & factors.keys():
        levels = factors[factor]
        if levels is not None and row[factor] not in levels:
            yield f"{factor}: no level {row[factor]!r}{near(str(row[factor]), levels)}"
    if "metric" in row and not any(
        probe.metrics.find(row["metric"]) for probe in probes.get(row["probe"], [])
    ):
        yield f"metric: found {row['metric']!r}, which probe {row['probe']} does not have"


def _of_metric(test: Question, probes: dict[str, list[Probe]]) -> Iterator[str]:
    if test.probe is not None and test.probe not in probes:
        yield f"probe: found {test.probe!r}, expected one of {', '.join(probes)}"
        return
    asked = [probe for name, of in probes.items() if test.probe in (None, name) for probe in of]
    if test.metric not in DERIVED and not any(probe.metrics.find(test.metric) for probe in asked):
        known = dict.fromkeys(name for probe in asked for name in probe.metrics)
        yield f"metric: found {test.metric!r}, expected one of {', '.join([*known, *DERIVED])}"


def _factors(scenario: Scenario, probes: dict[str, list[Probe]]) -> dict[str, set[str] | None]:
    """Factor -> its levels; None for a factor within a trial under the shortest profile, which asks
    of too few levels to answer claims."""
    within: dict[str, set[str]] = {}
    for probe in (one for of in probes.values() for one in of):
        for factor, level in probe.levels.items():
            within.setdefault(factor, set()).add(level)
    between = {factor: {*levels} for factor, levels in scenario.design.factors.items()}
    shortest = scenario.profile == profile_names()[0]
    return {"probe": {*probes}, **between, **(dict.fromkeys(within) if shortest else within)}

"""The register: each claim of the studies by the hash of what decides it, frozen when a campaign
begins to measure the scenario that the claim is asked of.

A claim that is as it was registered is older than the data: its bounds cannot have been chosen to
suit them. The code that turns trials into verdicts is registered too, since bounds alone do not
decide: an estimator that is changed after the data can change a verdict as well.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from remeasure.bench.base.documents import read_yaml
from remeasure.bench.campaign.claims_answerable import check_asked
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.claims import published
from remeasure.bench.claims.published import Published, load_published, studies
from remeasure.bench.claims.rules import PRESENT

Standing = Literal["before", "changed since", "no record"]
"""of a claim, or of the code, and a campaign: it is as the campaign registered it; it is not, or
was written later; the campaign has no register of its scenario"""
WORDS = ("note", "published", "because", "recomputed")
"""fields that explain or accompany a claim and decide nothing"""
REASONS = ("ours", "circular", "not_testable")
"""fields of a claim that decide by being there; their text gives the reason"""
_SINCE_2 = ("primary",)
"""fields of a claim that decide from version 2 of the rules on"""
DECIDING = ("paper/analysis", "bench/claims")
"""folders of `remeasure` whose code decides"""


def register(scenario: str, rules: int = PRESENT) -> dict[str, str]:
    """Claim -> hash under this version of the rules, of all claims that are asked of trials of
    `scenario`. Raises UserError naming the study's file and the field that is wrong: what is
    registered must be a claim."""
    return {
        claim["id"]: claim_hash(claim, study.groups, rules)
        for study in _studies(scenario)
        for claim in _documents(study, scenario)
    }


def check_claims(scenario: Scenario) -> None:
    """Check that trials of the scenario can answer the claims that are asked of it. Raises
    UserError naming the study's file, the claim and what is wrong."""
    for study in _studies(scenario.name):
        check_asked(
            study.asked_of(scenario.name), scenario, f"{published.FOLDER / study.name}.yaml"
        )


def claim_hash(claim: dict[str, Any], groups: dict[str, dict[str, Any]], rules: int) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of what decides a claim: its entry without
    explanations, and the study's groups of levels, which the entry may name. The order of keys does
    not count."""
    later = _SINCE_2 if rules < 2 else ()
    entry = {key: value for key, value in claim.items() if key not in later}
    deciding = _without_words(entry) | {reason: True for reason in REASONS if claim.get(reason)}
    text = json.dumps({"claim": deciding, "groups": groups}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def code_hash() -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the code in DECIDING: paths and contents of
    its Python files, in alphabetical order."""
    package, found = Path(__file__).parents[2], hashlib.sha256()
    for path in sorted(file for folder in DECIDING for file in (package / folder).rglob("*.py")):
        found.update(f"{path.relative_to(package)}\0{path.read_text()}\0".encode())
    return found.hexdigest()[:16]


def _studies(scenario: str) -> list[Published]:
    return [study for study in map(load_published, studies()) if scenario in study.scenarios]


def _documents(study: Published, scenario: str) -> list[dict[str, Any]]:
    """The entries of the study's claims as its file has them."""
    asked = {claim.id for claim in study.asked_of(scenario).claims}
    document: Any = read_yaml(published.FOLDER / f"{study.name}.yaml")
    return [claim for claim in document.get("claims", []) if claim["id"] in asked]


def _without_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_words(v) for key, v in value.items() if key not in WORDS}
    return [_without_words(one) for one in value] if isinstance(value, list) else value

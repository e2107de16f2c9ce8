"""The register: each claim of the studies by the hash of what decides it, frozen when a campaign
begins to measure the scenario that the claim is asked of.

A claim that is as it was registered stood before the data: its bounds cannot have been chosen to
suit them.
"""

import hashlib
import json
from typing import Literal

from pydantic import BaseModel, ConfigDict

from remeasure import config
from remeasure.paths import PUBLISHED

Standing = Literal["before", "changed since", "no record"]
"""of a claim and a campaign: it is as the campaign registered it; it is not, or was written later;
the campaign has no register of its scenario"""
WORDS = ("note", "published", "because", "recomputed")
"""fields that explain or accompany a claim and decide nothing"""
REASONS = ("ours", "circular", "not_testable")
"""fields of a claim that decide by being there; their text gives the reason"""


class _Claim(BaseModel):
    """One claim, as plain data: its model belongs to a room above."""

    model_config = ConfigDict(extra="allow")
    id: str


class _Study(BaseModel):
    """Of data/published/<study>.yaml, what decides the study's claims."""

    scenario: str
    groups: dict[str, dict] = {}
    claims: list[_Claim] = []


def register(scenario: str) -> dict[str, str]:
    """Claim -> hash, of all claims that are asked of trials of `scenario`. Raises UserError naming
    the study's file and the field that is wrong."""
    studies = [config.load(_Study, path) for path in sorted(PUBLISHED.glob("*.yaml"))]
    return {
        claim.id: claim_hash(claim.model_dump(), study.groups)
        for study in studies
        if study.scenario == scenario
        for claim in study.claims
    }


def claim_hash(claim: dict, groups: dict[str, dict]) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of what decides a claim: its entry without
    explanations, and the study's groups of levels, which the entry may name. The order of keys does
    not count."""
    deciding = _without_words(claim) | {reason: True for reason in REASONS if claim.get(reason)}
    text = json.dumps({"claim": deciding, "groups": groups}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _without_words(value):
    if isinstance(value, dict):
        return {key: _without_words(v) for key, v in value.items() if key not in WORDS}
    return [_without_words(one) for one in value] if isinstance(value, list) else value

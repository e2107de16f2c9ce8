"""A study's claims judged on trials: answers, verdicts, and the reasons why some have none."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.rules import Rules
from remeasure.paper.analysis.verdicts.answers import Summaries, answer
from remeasure.paper.analysis.verdicts.claim_verdicts import verdicts
from remeasure.paper.analysis.verdicts.corrections import Family
from remeasure.paper.analysis.verdicts.readable import Bench

WRITTEN_LATER = (
    "written or changed after these trials were measured: what they say of it is exploratory"
)
FLAT = "its rise does not matter here, so the shape of the rise is not asked"
UNDIRECTED = "the study contradicts itself or gives no direction: an estimate, no verdict"


@dataclass(frozen=True)
class Judged:
    """What trials say of a study's claims under one version of the rules and one analysis."""

    rules: Rules
    answers: pd.DataFrame
    """one row for each question (answers.ANSWER)"""
    reasons: dict[str, str]
    """claim -> why it has no verdict"""
    family: Family
    verdicts: pd.DataFrame
    """one row for each claim that is asked (verdicts.verdicts)"""

    def verdict(self, claim: str) -> str:
        """The verdict on a claim; '' if it has none."""
        return "" if claim in self.reasons else str(self.verdicts.loc[claim, "verdict"])


def judge(
    study: Published,
    summaries: Summaries,
    rules: Rules,
    bench: Bench,
    stood: Mapping[str, str] | None = None,
) -> Judged:
    """Judge a study's claims on `summaries`. `stood` says of a claim whether it is older than the
    data (campaign.register); without it every claim may have a verdict. Raises UserError."""
    answers = answer(study.claims, summaries, study.groups, rules=rules, bench=bench)
    bare = verdicts(answers, rules)
    reasons = {
        claim.id: reason
        for claim in study.claims
        if (reason := _why_not(claim, answers, bare, (stood or {}).get(claim.id, "")))
    }
    family = _family(study.claims, reasons, {*answers["unreadable"]})
    return Judged(rules, answers, reasons, family, verdicts(answers, rules, family))


def _why_not(claim: Claim, answers: pd.DataFrame, found: pd.DataFrame, stood: str) -> str:
    if claim.not_testable:
        return claim.not_testable
    own = answers[answers["id"] == claim.id]
    missing = own[own["unmeasured"] != ""]
    if not missing.empty:
        return str(missing["unmeasured"].iloc[0])
    if stood == "changed since":
        return WRITTEN_LATER
    if unreadable := next(filter(None, own["unreadable"]), ""):
        return unreadable
    if not found.loc[claim.id, "uncorrected"]:
        return FLAT if (own["expect"] != "").any() else UNDIRECTED
    return ""


def _family(claims: list[Claim], reasons: Mapping[str, str], unreadable: set[str]) -> Family:
    # A verdict that is withdrawn after the data were seen must not make the others laxer.
    tested = [claim for claim in claims if reasons.get(claim.id, "") in {"", *unreadable}]
    return Family(
        counted=frozenset(claim.id for claim in tested if not claim.uncounted),
        beside=frozenset(c.id for c in tested if c.uncounted and not c.repeats),
        repeats=tuple((c.id, c.repeats) for c in tested if c.repeats),
    )

"""A study's claims judged on trials: answers, verdicts, and the reasons why some have none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.rules import Rules
from remeasure.paper.analysis.decisions import (
    CONFIRMED,
    DECIDED,
    HIDDEN,
    INSIDE,
    NEAR,
    NO_DIFFERENCE,
    NO_SIZE,
    NOT_AS_STATED,
    OPPOSITE,
    OUTSIDE,
    UNDECIDED,
    CorrectedFamily,
    Evidence,
    adjusted,
    decide_whole,
    p_of_verdict,
)
from remeasure.paper.analysis.verdicts.answers import Summaries, answer
from remeasure.paper.analysis.verdicts.readable import BenchFacts

_EVIDENCE = ("p_confirmed", "p_opposite", "p_no_difference")


def verdicts(
    answers: pd.DataFrame, rules: Rules, family: CorrectedFamily | None = None
) -> pd.DataFrame:
    """One row per claim, by id, from the answers of one study.

    Columns: verdict (after the correction of the rules; '' for a claim that expects nothing, or has
    no readable part), family_wise and false_discovery (after either correction), uncorrected
    (before it), p (two-sided, of the verdict), size, decided_by (the part, or the level, that
    decided; '' for a claim of one part without levels), parts (of a claim of several parts: which
    are true and which are not).

    `family`: which claims are corrected together; None: all of them.
    """
    of_claim: dict[str, list[dict[str, Any]]] = {}
    tests = answers.to_dict("records")
    rising = {t["line"] for t in tests if not t["shape"] and t["verdict"] in (CONFIRMED, OPPOSITE)}
    for test in tests:
        asked = of_claim.setdefault(test["id"], [])
        # The shape of a rise is asked only if the rise matters.
        if not (rules.gated and test["shape"]) or test["line"] in rising:
            asked.append(test)
    rows = {claim: _whole(tests) for claim, tests in of_claim.items()}
    columns = ["uncorrected", "p", "size", "decided_by", "parts"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    p_values = table["p"].astype(float)
    family = family or CorrectedFamily(frozenset(table.index))
    for name, method in rules.methods.items():
        lost = (adjusted(p_values, family, method) > 0.05) & table["uncorrected"].isin(DECIDED)
        table[name] = table["uncorrected"].mask(lost, UNDECIDED)
    return table.assign(verdict=table[rules.error_rate])


def _whole(tests: list[dict[str, Any]]) -> dict[str, Any]:
    sizes = {test["size"] for test in tests}
    size = next((one for one in (OUTSIDE, NEAR, INSIDE) if one in sizes), NO_SIZE)
    directed = [test for test in tests if test["expect"]]
    if not directed:
        return {"uncorrected": "", "p": np.nan, "size": size, "decided_by": "", "parts": ""}
    parts = [Evidence(*(np.array(test[name]) for name in _EVIDENCE)) for test in directed]
    found, p = str(decide_whole(parts)), p_of_verdict(parts)
    by, told = _by(directed, found), _parts(directed)
    of_parts = {test["verdict"] for test in directed}
    if found == CONFIRMED and len(directed) < len(tests):
        without = next(test["brief"] for test in tests if not test["expect"])
        found, by = UNDECIDED, f"a part gives no direction: {without}".rstrip(": ")
    elif found == UNDECIDED and HIDDEN in of_parts and UNDECIDED not in of_parts:
        found = HIDDEN
        most = max(test["hidden_cost"] for test in directed if test["verdict"] == HIDDEN)
        unseen = f"up to {100 * most:.0f} % more processor time would not have shown"
        by = "; ".join(filter(None, [_by(directed, found), unseen]))
    elif found == UNDECIDED and (lacking := [t for t in directed if t["asked_at"]]):
        by = "; ".join(f"{t['brief']} asked at {t['asked_at']} levels".strip() for t in lacking)
    elif found in (OPPOSITE, NO_DIFFERENCE) and any(t["verdict"] == CONFIRMED for t in directed):
        found = NOT_AS_STATED
    return {"uncorrected": found, "p": p, "size": size, "decided_by": by, "parts": told}


def _by(directed: list[dict[str, Any]], verdict: str) -> str:
    """The parts with the verdict of the whole, if others have another."""
    if verdict == CONFIRMED:
        return ""
    parts = [test for test in directed if test["verdict"] == verdict]
    described = [f"{test['brief']} {test['at']}".strip() for test in parts]
    everything = len(parts) == len(directed) and not any(test["at"] for test in parts)
    return "" if everything else "; ".join(filter(None, described))


def _parts(directed: list[dict[str, Any]]) -> str:
    """Which parts hold and which do not, in words; empty unless parts differ."""
    if len({test["verdict"] for test in directed}) < 2:
        return ""
    words = {CONFIRMED: "holds", OPPOSITE: "the opposite", NO_DIFFERENCE: NO_DIFFERENCE}
    return "; ".join(
        f"{words.get(verdict, verdict)}: {', '.join(briefs)}"
        for verdict in (CONFIRMED, OPPOSITE, NO_DIFFERENCE, HIDDEN, UNDECIDED)
        if (briefs := [test["brief"] for test in directed if test["verdict"] == verdict])
    )


WRITTEN_LATER = (
    "written or changed after these trials were measured: what they say of it is exploratory"
)
FLAT = "its rise does not matter here, so the shape of the rise is not asked"
UNDIRECTED = "the study contradicts itself or gives no direction: an estimate, no verdict"


@dataclass(frozen=True)
class Judged:
    """The results on a study's claims under one version of the rules and one analysis."""

    rules: Rules
    answers: pd.DataFrame
    """one row for each question (answers.ANSWER)"""
    reasons: dict[str, str]
    """claim -> why it has no verdict"""
    family: CorrectedFamily
    verdicts: pd.DataFrame
    """one row for each claim that is asked (verdicts.judging.verdicts)"""

    def verdict(self, claim: str) -> str:
        """The verdict on a claim; '' if it has none."""
        return "" if claim in self.reasons else str(self.verdicts.loc[claim, "verdict"])


def judge(
    study: Published,
    summaries: Summaries,
    rules: Rules,
    bench: BenchFacts,
    stood: Mapping[str, str] | None = None,
) -> Judged:
    """Judge a study's claims on `summaries`. `stood` tells for each claim whether it is older than
    the data (campaign.register); without it every claim may have a verdict. Raises UserError."""
    answers = answer(study, summaries, rules=rules, bench=bench)
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


def _family(
    claims: list[Claim], reasons: Mapping[str, str], unreadable: set[str]
) -> CorrectedFamily:
    # A verdict that is withdrawn after the data were seen must not make the others laxer.
    tested = [claim for claim in claims if reasons.get(claim.id, "") in {"", *unreadable}]
    return CorrectedFamily(
        counted=frozenset(claim.id for claim in tested if not claim.uncounted),
        beside=frozenset(c.id for c in tested if c.uncounted and not c.repeats),
        repeats=tuple((c.id, c.repeats) for c in tested if c.repeats),
    )

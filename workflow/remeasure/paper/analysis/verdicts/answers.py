"""The answers of trials to the questions of a study's claims: one row for each question."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.base.errors import UserError
from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.questions import RATIOS, Question, bounds
from remeasure.bench.claims.rules import COST, COST_OF_BYTE, Rules, as_cost
from remeasure.paper.analysis import decisions
from remeasure.paper.analysis.entry import Part
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.evaluation import Answer, examine
from remeasure.paper.analysis.selection import Groups, Measurements, selected
from remeasure.paper.analysis.texts import in_brief, in_words
from remeasure.paper.analysis.verdicts.readable import BenchFacts, without_link

ANSWER = ("id", *Part.__annotations__, "unmeasured", "unreadable", "line", "shape", "blocks")
"""columns of the table that `answer` returns: id (of the claim); fields of `entry.Part`; unmeasured
(why trials of its cells are missing; else empty), unreadable (why they cannot answer it; else
empty), line (of a slope or a shape: its line), shape (bool), blocks (their numbers)"""
Summaries = Mapping[str, pd.DataFrame]
"""estimator of the value of a trial from its readings (`mean`, `median`) -> summaries of trials"""


_ANYWHERE = BenchFacts()
_NO_PROOF = decisions.Evidence(*(np.array(1.0),) * 3)
STILL = "no interval: blocks do not vary"
"""in place of a level: why a question has an estimate without interval"""


def answer(
    study: Published,
    summaries: Summaries,
    rules: Rules,
    traced: bool = True,
    bench: BenchFacts = _ANYWHERE,
    instead: Mapping[str, str] | None = None,
    known: dict[str, Measurements] | None = None,
    flips: bool = False,
) -> pd.DataFrame:
    """Test every claim of a study on `summaries` (columns: summaries.py). Returns one row per test,
    with columns ANSWER. `rules` decide which questions decide a claim; `bench` describes the
    trials. `instead` replaces levels that the claims choose (a sensitivity analysis). `known` is a
    cache: pass the same dictionary with the same summaries. `traced` and `flips` as in `examine`.
    Raises UserError naming a claim about a factor that does not exist."""
    rows = []
    known = {} if known is None else known
    for name, table in summaries.items():
        if name not in known:
            known[name] = Measurements(table)
    for claim in study.claims:
        tests = [
            _as_ruled(test, rules, bench, known[test.within], study.groups)
            for test in claim.asked(rules)
        ]
        for place, (test, brief) in enumerate(zip(tests, in_brief(tests), strict=True)):
            where = test.where | {k: v for k, v in (instead or {}).items() if k in test.where}
            asked = test.model_copy(update={"where": where})
            try:
                found = examine(asked, known[test.within], study.groups, traced=traced, flips=flips)
            except ValueError as error:
                raise UserError(f"claim {claim.id}: {error}") from None
            if found.still and not bench.virtual:
                alone = replace(found.estimate, low=np.nan, high=np.nan)
                found = replace(found, estimate=alone, evidence=_NO_PROOF, at=STILL)
            rows.append(_row(claim, place, brief, test, found, bench))
    return pd.DataFrame(rows, columns=list(ANSWER))


def _as_ruled(
    test: Question, rules: Rules, bench: BenchFacts, measured: Measurements, groups: Groups
) -> Question:
    """The question that the rules ask: of rates of suites one on processor time, of a packet where
    all payload goes in datagrams, otherwise as the rules say."""
    if not (rules.by_cost and bench.compares_suites(test)):
        return test
    by_packet = as_cost(test)
    if not rules.by_byte:
        return by_packet
    found = measured.of(COST, test.probe)
    if len(found.cells) and bench.by_datagrams(selected(by_packet, found, groups)[2]):
        return by_packet
    return as_cost(test, COST_OF_BYTE)


def _row(
    claim: Claim, place: int, brief: str, test: Question, found: Answer, bench: BenchFacts
) -> dict[str, Any]:
    estimate, study = found.estimate, claim.of_study(test, place)
    held = bench.held(test, found)
    proof, verdict = _judged(test, found, held is not None)
    hidden = held if held is not None and verdict == decisions.HIDDEN else np.nan
    return {
        "id": claim.id,
        "quantity": in_words(test),
        "brief": brief,
        "at": found.at,
        "asked_at": found.asked_at,
        **estimate.columns(),
        "unit": test.unit,
        "study": study,
        "size_range": test.size or "",
        "as_ratio": test.quantity in RATIOS,
        "expect": test.expect or "",
        "matters": test.matters,
        "because": test.because,
        "verdict": verdict,
        "size": _size(test, estimate, study, verdict, hidden),
        "hidden_cost": hidden,
        **{f"p_{name}": float(p) for name, p in proof._asdict().items()},
        "unmeasured": found.why_not or ("" if estimate.n else "no block has what it compares"),
        "unreadable": bench.unreadable(test, found),
        "line": _line(test),
        "shape": test.quantity == "straightness",
        "blocks": found.blocks,
        "t": found.t,
        "generic_code": bench.in_generic_code(test),
    }


def _judged(test: Question, found: Answer, held: bool) -> tuple[decisions.Evidence, str]:
    if not test.expect:
        return found.evidence, ""
    proof, hidden = found.evidence, False
    if test.quantity == "straightness" and not np.isfinite(found.estimate.high):
        # The rise may be 0, so the shape is unknown, whatever the p of one level.
        proof = _NO_PROOF
    if held:
        proof, hidden = without_link(test, proof)
    verdict = str(decisions.decide(proof))
    return proof, decisions.HIDDEN if hidden else verdict


def _line(test: Question) -> str:
    """A key for the line of a question: slopes and shapes with equal keys belong to one rise."""
    if test.quantity not in ("slope", "straightness"):
        return ""
    cells = sorted((test.where | test.of).items())
    return str((test.metric, test.probe, test.over, [(k, str(v)) for k, v in cells]))


def _size(test: Question, estimate: Estimate, study: float, verdict: str, hidden: float) -> str:
    """The verdict on the size, of SIZES. An effect hidden by a link is outside if processors had
    too little time to spare (`hidden`) to hide the published ratio, else none is given."""
    least, most = bounds(test.size) if test.size else (study, study)
    low, high, ratio = estimate.low, estimate.high, test.quantity in RATIOS
    if verdict == decisions.HIDDEN:
        low, high = (low / (1 + hidden), high * (1 + hidden)) if ratio else (np.nan, np.nan)
    if np.isnan(least) or not np.isfinite([low, high]).all():
        return decisions.NO_SIZE
    matters = smallest_effect(test)
    lowest, highest = (low / matters, high * matters) if ratio else (low - matters, high + matters)
    if least > highest or most < lowest:
        return decisions.OUTSIDE
    if verdict == decisions.HIDDEN:
        return decisions.NO_SIZE
    return decisions.INSIDE if least <= high and most >= low else decisions.NEAR


def smallest_effect(test: Question) -> float:
    """The smallest effect that matters, a factor for ratios, else an amount [unit]: as given for a
    direction, half the distance of two bounds, else none (1, or 0)."""
    ratio = test.quantity in RATIOS
    if test.matters is not None:
        return test.matters
    least, most = bounds(test.expect) if test.expect else (-np.inf, np.inf)
    if not np.isfinite([least, most]).all():
        return 1.0 if ratio else 0.0
    return float(np.sqrt(most / least)) if ratio else (most - least) / 2

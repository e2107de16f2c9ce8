"""The answers of trials to the claims of a study, and the verdicts that follow from them.

A verdict has two parts. The *direction* says whether the trials agree with the statement
(decisions.VERDICTS); it is corrected for the number of the study's statements. The *size* says
whether the number that the study published is in our interval (decisions.SIZES).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from remeasure.analysis.corrections import holm
from remeasure.analysis.decisions import (
    CONFIRMED,
    INSIDE,
    NO_SIZE,
    OUTSIDE,
    UNDECIDED,
    Evidence,
    decide,
    decide_whole,
    p_of_verdict,
)
from remeasure.analysis.evaluation import Answer, Measured, examine
from remeasure.analysis.wording import in_brief, in_words
from remeasure.claims.claim import Claim
from remeasure.claims.questions import RATIOS, Question, bounds
from remeasure.errors import UserError

ANSWER = (
    *("id", "says", "published", "note", "quantity", "brief", "at"),
    *("value", "low", "high", "n", "unit", "study", "size_range", "as_ratio"),
    *("expect", "matters", "because", "verdict", "size"),
    *("p_confirmed", "p_opposite", "p_no_difference"),
    *("metric", "measured", "blocks", "cells"),
)
"""columns of the table that `answer` returns"""
Summaries = Mapping[str, pd.DataFrame]
"""how readings become the value of a trial (`mean`, `median`) -> summaries of trials"""


def answer(
    claims: list[Claim],
    summaries: Summaries,
    groups: Mapping[str, dict],
    traced: bool = True,
    **instead: str,
) -> pd.DataFrame:
    """Test every claim on `summaries` (their columns: summaries.py). Returns one row for each test.

    Columns: id, says, published, note (of the claim); quantity (in words), brief (`in_brief`), at
    (of an extreme: the level that has it); value, low, high [unit] and n [blocks] of the estimate,
    unit; study (`Claim.of_study`), size_range; as_ratio (bool); expect, matters, because; verdict
    and size, of this test alone; p_confirmed, p_opposite, p_no_difference (one-sided); metric,
    measured (bool: trials of all its cells are there), blocks (their numbers), cells (of
    `evaluation.Answer`). `instead` replaces levels that the claims choose (a sensitivity analysis).
    `traced` as of `examine`. Raises UserError naming a claim about a factor that does not exist.
    """
    rows = []
    known: dict[str, dict[tuple, Measured]] = {}
    for claim in claims:
        for place, brief in enumerate(in_brief(claim.tests)):
            test = claim.tests[place]
            where = test.where | {k: v for k, v in instead.items() if k in test.where}
            asked = test.model_copy(update={"where": where})
            try:
                of_estimator = known.setdefault(test.within, {})
                found = examine(asked, summaries[test.within], groups, of_estimator, traced=traced)
            except ValueError as error:
                raise UserError(f"claim {claim.id}: {error}") from None
            rows.append(_row(claim, place, brief, test, found))
    return pd.DataFrame(rows, columns=list(ANSWER))


def _row(claim: Claim, place: int, brief: str, test: Question, found: Answer) -> dict:
    estimate, study = found.estimate, claim.of_study(place)
    return {
        "id": claim.id,
        "says": claim.says,
        "published": claim.published,
        "note": claim.note,
        "quantity": in_words(test),
        "brief": brief,
        "at": found.at,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "unit": test.unit,
        "study": study,
        "size_range": test.size or "",
        "as_ratio": test.quantity in RATIOS,
        "expect": test.expect or "",
        "matters": test.matters,
        "because": test.because,
        "verdict": str(decide(found.evidence)) if test.expect else "",
        "size": _size(estimate.low, estimate.high, study, test.size),
        "p_confirmed": float(found.evidence.confirmed),
        "p_opposite": float(found.evidence.opposite),
        "p_no_difference": float(found.evidence.no_difference),
        "metric": test.metric,
        "measured": estimate.n > 0,
        "blocks": found.blocks,
        "cells": found.cells,
    }


def _size(low: float, high: float, study: float, stated: str | None) -> str:
    if stated is not None:
        least, most = bounds(stated)
    elif np.isfinite(study):
        least = most = study
    else:
        return NO_SIZE
    if not (np.isfinite(low) and np.isfinite(high)):
        return NO_SIZE
    return INSIDE if least <= high and most >= low else OUTSIDE


def verdicts(answers: pd.DataFrame) -> pd.DataFrame:
    """One row for each claim, by id, from the answers of one study.

    Columns: verdict (after Holm's correction over these claims; '' for a claim that expects
    nothing), uncorrected (before it), p (two-sided, of the verdict), p_holm, size, decided_by (the
    part, or the level, that decided; '' for a claim of one part without levels).
    """
    of_claim: dict[str, list[dict]] = {}
    for test in answers[list(_OF_VERDICT)].to_dict("records"):
        of_claim.setdefault(test["id"], []).append(test)
    rows = {key: _whole(tests) for key, tests in of_claim.items()}
    columns = ["uncorrected", "p", "size", "decided_by"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    table["p_holm"] = holm(table["p"].astype(float))
    lost = (table["p_holm"] > 0.05) & (table["uncorrected"] != "")
    return table.assign(verdict=table["uncorrected"].mask(lost, UNDECIDED))


_EVIDENCE = ("p_confirmed", "p_opposite", "p_no_difference")
_OF_VERDICT = ("id", "brief", "at", "expect", "verdict", "size", *_EVIDENCE)


def _whole(tests: list[dict]) -> dict:
    size = _of_all({test["size"] for test in tests})
    directed = [test for test in tests if test["expect"]]
    if not directed:
        return {"uncorrected": "", "p": np.nan, "size": size, "decided_by": ""}
    parts = [Evidence(*(np.array(test[name]) for name in _EVIDENCE)) for test in directed]
    found, p = str(decide_whole(parts)), p_of_verdict(parts)
    if found == CONFIRMED and len(directed) < len(tests):
        without = next(test["brief"] for test in tests if not test["expect"])
        by = f"a part gives no direction: {without}".rstrip(": ")
        return {"uncorrected": UNDECIDED, "p": p, "size": size, "decided_by": by}
    return {"uncorrected": found, "p": p, "size": size, "decided_by": _by(directed, found)}


def _by(directed: list[dict], verdict: str) -> str:
    """The parts with the verdict of the whole, if others have another."""
    if verdict == CONFIRMED:
        return ""
    parts = [test for test in directed if test["verdict"] == verdict]
    described = [f"{test['brief']} {test['at']}".strip() for test in parts]
    everything = len(parts) == len(directed) and not any(test["at"] for test in parts)
    return "" if everything else "; ".join(filter(None, described))


def _of_all(sizes: set[str]) -> str:
    return next((size for size in (OUTSIDE, INSIDE) if size in sizes), NO_SIZE)

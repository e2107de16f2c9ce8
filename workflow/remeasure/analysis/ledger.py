"""The ledger: the verdict on every statement of the studies."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from remeasure.analysis.claims import ANSWER, Claim, verdicts
from remeasure.analysis.published import Published, studies
from remeasure.errors import UserError

VERDICTS = ("supported", "refuted", "inconclusive", "not testable")
ALPHA = 0.05
METHOD = (
    "Student's 95 % interval over blocks, cells paired within them; p: the same, of the "
    "nearest bound; p_holm: corrected over the study's tests"
)
HOLM = "Holm's correction over the study"
UNMEASURED = "no trials of what it asks about in the released campaigns"
UNDIRECTED = "the study contradicts itself or gives no direction: an estimate, no verdict"


def entries(
    study: Published, answers: pd.DataFrame, blocks: int, choices: Mapping[str, pd.DataFrame]
) -> list[dict]:
    """One entry for each claim.

    Keys: study, scenario, id, says, published, note; verdict, reason (why there is no verdict),
    method; blocks (number measured); tests (the rows of `answer`, each with the number of blocks
    that it could use); flips (choice of analysis -> verdict under it, if it differs).

    `answers` is the table that `answer` returned; `blocks` the number of blocks measured. `choices`
    has the answers under other choices (see multiverse.py); Holm's correction is one more choice.
    """
    found = verdicts(answers)
    others = {name: verdicts(table) for name, table in choices.items()}
    others[HOLM] = verdicts(_corrected(answers))
    return [
        {
            "study": study.name,
            "scenario": study.scenario,
            "id": claim.id,
            "says": claim.says,
            "published": claim.published,
            "note": claim.note,
            **_verdict(claim, answers, found),
            "method": METHOD,
            "blocks": blocks,
            "tests": _tests(answers, claim.id),
            "flips": {
                name: other[claim.id]
                for name, other in others.items()
                if claim.id in found and other[claim.id] != found[claim.id]
            },
        }
        for claim in study.claims
    ]


def _verdict(claim: Claim, answers: pd.DataFrame, found: pd.Series) -> dict[str, str]:
    if claim.not_testable:
        return {"verdict": "not testable", "reason": claim.not_testable}
    if not (answers.loc[answers["id"] == claim.id, "n"] > 0).all():
        return {"verdict": "not testable", "reason": UNMEASURED}
    if not found[claim.id]:
        return {"verdict": "not testable", "reason": UNDIRECTED}
    return {"verdict": found[claim.id], "reason": ""}


def _corrected(answers: pd.DataFrame) -> pd.DataFrame:
    """The answers, with every test undecided that is not significant after the correction."""
    undecided = answers["verdict"].isin(["supported", "refuted"]) & (answers["p_holm"] > ALPHA)
    return answers.assign(verdict=answers["verdict"].mask(undecided, "inconclusive"))


def _tests(answers: pd.DataFrame, claim: str) -> list[dict]:
    columns = [c for c in ANSWER if c not in ("id", "says", "published", "note", "brief")]
    rows = answers.loc[answers["id"] == claim, columns].to_dict("records")
    return [
        {
            key: None if isinstance(value, float) and not np.isfinite(value) else value
            for key, value in row.items()
        }
        for row in rows
    ]


def read_ledger(folders: Iterable[Path]) -> list[dict]:
    """All entries that notebooks handed over, in the order of `published.studies`. Raises UserError
    if there are none, or if a claim occurs twice."""
    found: dict[str, dict] = {}
    for file in sorted(Path(folder) / "claims.json" for folder in folders):
        for entry in json.loads(file.read_text()) if file.exists() else []:
            if entry["id"] in found:
                raise UserError(f"{file}: claim {entry['id']} is in another notebook too")
            found[entry["id"]] = entry
    if not found:
        raise UserError(f"{', '.join(map(str, folders))}: no claims here; build the notebooks")
    order = studies()
    return sorted(found.values(), key=lambda entry: order.index(entry["study"]))


def counts(ledger: list[dict]) -> pd.DataFrame:
    """Number of claims: one row for each study, one column for each verdict, and totals of both."""
    table = pd.DataFrame(ledger).pivot_table(
        index="study", columns="verdict", values="id", aggfunc="count", fill_value=0, sort=False
    )
    table = table.reindex(columns=VERDICTS, fill_value=0)
    table["statements"] = table.sum(axis=1)
    table.loc["all"] = table.sum()
    return table


def effects(ledger: list[dict]) -> pd.DataFrame:
    """One row for each ratio that a study gives and for which this project has an interval.

    Columns: study; row (the statement's name without the study's, numbered if it has several);
    ratio, ratio_low, ratio_high (ours); published; held (True if our interval contains
    `published`).
    """
    rows = []
    for entry in ledger:
        tests = [test for test in entry["tests"] if test["as_ratio"] and _has_size(test)]
        for place, test in enumerate(tests, 1):
            name = entry["id"].removeprefix(f"{entry['study']}-")
            rows.append(
                {
                    "study": entry["study"],
                    "row": f"{name} ({place})" if len(tests) > 1 else name,
                    "ratio": test["value"],
                    "ratio_low": test["low"],
                    "ratio_high": test["high"],
                    "published": test["study"],
                    "held": _held(test),
                }
            )
    return pd.DataFrame(rows)


def size_outside(entry: dict) -> bool:
    """True if a number that the study gives lies outside our interval."""
    return any(_has_size(test) and not _held(test) for test in entry["tests"])


def flips(ledger: list[dict]) -> pd.DataFrame:
    """One row for each verdict and each other choice of the analysis that changes it.

    Columns: study, claim, verdict, choice, verdict then.
    """
    return pd.DataFrame(
        [
            (entry["study"], entry["id"], entry["verdict"], choice, then)
            for entry in ledger
            for choice, then in entry["flips"].items()
            if entry["verdict"] != "not testable"
        ],
        columns=["study", "claim", "verdict", "choice", "verdict then"],
    )


def _has_size(test: dict) -> bool:
    return test["study"] is not None and test["low"] is not None


def _held(test: dict) -> bool:
    return test["low"] <= test["study"] <= test["high"]

"""The ledger: the verdict on every statement of the studies."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from remeasure.analysis.answers import ANSWER, verdicts
from remeasure.analysis.decisions import NO_SIZE, NOT_TESTABLE, OUTSIDE, VERDICTS
from remeasure.claims.claim import Claim
from remeasure.claims.published import Published, studies
from remeasure.errors import UserError

METHOD = (
    "Student's 95 % interval over blocks, cells compared within them; one-sided tests at 2.5 %, "
    "Holm's correction over the study's statements"
)
UNCORRECTED = "no correction for the number of statements"
UNMEASURED = "no trials of what it asks about in the released campaigns"
UNDIRECTED = "the study contradicts itself or gives no direction: an estimate, no verdict"


def entries(
    study: Published,
    answers: pd.DataFrame,
    blocks: int,
    choices: Mapping[str, pd.DataFrame],
    stood: Mapping[str, str],
    unreadable: Mapping[str, str],
) -> list[dict]:
    """One entry for each claim.

    Keys: study, scenario, id, says, published, note; uncounted (why the claim is not counted among
    the study's findings); stood (whether it is as it was before the data: campaign.register);
    verdict, uncorrected, size, decided_by (see answers.verdicts), reason
    (why there is no verdict), method; blocks (number measured); tests (the rows of `answer`, each
    with the number of blocks that it could use); flips (choice of analysis -> verdict under it, if
    it differs).

    `answers` is the table that `answer` returned; `blocks` the number of blocks measured; `stood`
    has the word for each claim that the campaign's register knows of; `unreadable` says of a claim
    on rates why they do not show what it asks. `choices` has the answers under other choices (see
    sensitivity.py). A verdict that another choice reaches from other
    blocks is no flip: lost trials are not a choice of analysis.
    """
    found = verdicts(answers)
    others = {
        name: (_blocks(table), verdicts(table)["verdict"].to_dict())
        for name, table in choices.items()
    }
    blocks_of, tests_of = _blocks(answers), _tests(answers)
    return [
        {
            "study": study.name,
            "scenario": study.scenario,
            "id": claim.id,
            "says": claim.says,
            "published": claim.published,
            "note": claim.note,
            "uncounted": claim.uncounted,
            "stood": stood.get(claim.id, "no record"),
            **_verdict(claim, answers, found, unreadable.get(claim.id, "")),
            "method": METHOD,
            "blocks": blocks,
            "tests": tests_of.get(claim.id, []),
            "flips": _flips(claim.id, blocks_of, found, others),
        }
        for claim in study.claims
    ]


def _verdict(
    claim: Claim, answers: pd.DataFrame, found: pd.DataFrame, unreadable: str
) -> dict[str, str]:
    def untestable(reason: str, size: str = NO_SIZE) -> dict[str, str]:
        verdict = {"verdict": NOT_TESTABLE, "uncorrected": NOT_TESTABLE, "size": size}
        return {**verdict, "decided_by": "", "reason": reason}

    if claim.not_testable:
        return untestable(claim.not_testable)
    if not answers.loc[answers["id"] == claim.id, "measured"].all():
        return untestable(UNMEASURED)
    if unreadable:
        return untestable(unreadable)
    one = found.loc[claim.id]
    if not one["verdict"]:
        return untestable(UNDIRECTED, one["size"])
    keys = ("verdict", "uncorrected", "size", "decided_by")
    return {**{key: one[key] for key in keys}, "reason": ""}


def _flips(
    claim: str,
    blocks_of: Mapping[str, list],
    found: pd.DataFrame,
    others: Mapping[str, tuple[Mapping[str, list], Mapping[str, str]]],
) -> dict[str, str]:
    if claim not in found.index or not found.loc[claim, "verdict"]:
        return {}
    verdict, uncorrected = found.loc[claim, ["verdict", "uncorrected"]]
    flips = {
        name: then[claim]
        for name, (other_blocks, then) in others.items()
        if then[claim] != verdict and other_blocks[claim] == blocks_of[claim]
    }
    return flips | ({UNCORRECTED: uncorrected} if uncorrected != verdict else {})


def _blocks(answers: pd.DataFrame) -> dict[str, list]:
    """Claim -> the blocks that each of its tests could use."""
    found: dict[str, list] = {}
    for claim, blocks in zip(answers["id"], answers["blocks"], strict=True):
        found.setdefault(claim, []).append(blocks)
    return found


def _tests(answers: pd.DataFrame) -> dict[str, list[dict]]:
    """Claim -> its tests, as they are handed over; a number that is not finite is None."""
    left_out = ("id", "says", "published", "note", "metric", "measured", "blocks", "cells")
    columns = [c for c in ANSWER if c not in left_out]
    found: dict[str, list[dict]] = {}
    rows = answers[columns].to_dict("records")
    for claim, row in zip(answers["id"], rows, strict=True):
        found.setdefault(claim, []).append(
            {
                key: None if isinstance(value, float) and not np.isfinite(value) else value
                for key, value in row.items()
            }
        )
    return found


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


def counted(ledger: list[dict]) -> list[dict]:
    """The entries that are statements of their study, each effect once."""
    return [entry for entry in ledger if not entry["uncounted"]]


def counts(ledger: list[dict]) -> pd.DataFrame:
    """Number of counted claims: one row for each study, one column for each verdict, and their
    total; columns `number outside` (testable claims of which a published number lies outside our
    interval) and `not counted` (claims that are no finding of the study); and the sums."""
    own = pd.DataFrame(counted(ledger))
    order = list(dict.fromkeys(entry["study"] for entry in ledger))
    table = pd.crosstab(own["study"], own["verdict"]).reindex(index=order, columns=list(VERDICTS))
    table = table.fillna(0).astype(int)
    table["statements"] = table.sum(axis=1)
    outside = [entry for entry in counted(ledger) if size_outside(entry)]
    for column, some in (
        ("number outside", outside),
        ("not counted", [entry for entry in ledger if entry["uncounted"]]),
    ):
        studies_of = [entry["study"] for entry in some]
        table[column] = [studies_of.count(study) for study in table.index]
    table.loc["all"] = table.sum()
    table.index.name, table.columns.name = "study", None
    return table


_EFFECT = ["study", "row", "says", "brief", "verdict", "ratio", "ratio_low", "ratio_high"]
_EFFECT += ["published", "held"]


def effects(ledger: list[dict]) -> pd.DataFrame:
    """One row for each ratio that a study gives and for which this project has an interval; none
    from a campaign of single blocks.

    Columns: study; row (the statement's name without the study's, numbered if it has several);
    says; brief; verdict (of the statement); ratio, ratio_low, ratio_high (ours); published; held
    (True if our interval contains `published`).
    """
    rows = []
    for entry in ledger:
        tests = [test for test in entry["tests"] if test["as_ratio"] and test["study"] is not None]
        tests = [test for test in tests if test["size"] != NO_SIZE]
        for place, test in enumerate(tests, 1):
            name = entry["id"].removeprefix(f"{entry['study']}-")
            rows.append(
                {
                    "study": entry["study"],
                    "row": f"{name} ({place})" if len(tests) > 1 else name,
                    "says": entry["says"],
                    "brief": test["brief"],
                    "verdict": entry["verdict"],
                    "ratio": test["value"],
                    "ratio_low": test["low"],
                    "ratio_high": test["high"],
                    "published": test["study"],
                    "held": test["size"] != OUTSIDE,
                }
            )
    return pd.DataFrame(rows, columns=_EFFECT)


def size_outside(entry: dict) -> bool:
    """True if a number that the study gives lies outside our interval."""
    return entry["size"] == OUTSIDE


def flips(ledger: list[dict]) -> pd.DataFrame:
    """One row for each verdict and each other choice of the analysis that changes it.

    Columns: study, claim, verdict, choice, verdict then.
    """
    return pd.DataFrame(
        [
            (entry["study"], entry["id"], entry["verdict"], choice, then)
            for entry in ledger
            for choice, then in entry["flips"].items()
            if entry["verdict"] != NOT_TESTABLE
        ],
        columns=["study", "claim", "verdict", "choice", "verdict then"],
    )

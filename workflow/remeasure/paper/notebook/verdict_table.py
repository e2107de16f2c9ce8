"""The paper's table of verdicts: what each statement is asked, and which effects matter to it."""

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from remeasure.paper.analysis.decisions import HIDDEN, NO_DIFFERENCE, NOT_TESTABLE
from remeasure.paper.analysis.entry import Entry, Part
from remeasure.paper.analysis.texts import interval_text, number_text
from remeasure.paper.analysis.verdicts.ledger import counted

_COLUMNS = ("measured", "holds if", "does not matter", "published", "alone")
"""what each part of a statement has, in the order of the table"""


def verdict_table(ledger: Iterable[Entry]) -> pd.DataFrame:
    """The counted, testable statements, all text: our estimate with its interval, where it has to
    lie, the effects that do not matter, the published number, the verdict on a part alone, and the
    verdict on the statement, corrected. A statement of several parts has a row of its own before
    theirs. `ledger`: entries of analysis.verdicts.ledger."""
    rows = []
    for entry in counted(list(ledger)):
        if entry["verdict"] == NOT_TESTABLE:
            continue
        statement = {"statement": entry["id"]}
        verdict = {"verdict": _short(entry["verdict"])}
        parts = [_part(test) for test in entry["tests"]]
        if len(parts) == 1:
            rows.append(parts[0] | statement | verdict)
        else:
            rows += [statement | verdict, *parts]
    columns = ["statement", *_COLUMNS, "verdict"]
    return pd.DataFrame(rows, columns=columns, dtype=object).fillna("")


def _part(test: Part) -> dict[str, str]:
    study = test["study"]
    found = (
        _measured(test),
        test["expect"],
        _negligible(test),
        "" if study is None else number_text(study),
        _short(test["verdict"]),
    )
    return {"statement": f"- {test['brief']}", **dict(zip(_COLUMNS, found, strict=True))}


def _short(verdict: str) -> str:
    return {NO_DIFFERENCE: "no difference", HIDDEN: "hidden"}.get(verdict, verdict)


def _measured(test: Part) -> str:
    """The estimate with its interval; an end that is not finite is None in the ledger."""
    value = math.nan if test["value"] is None else test["value"]
    low = -math.inf if test["low"] is None else test["low"]
    high = math.inf if test["high"] is None else test["high"]
    origin: Any = test.get("origin")  # while a notebook runs, not yet a place in lineage.json
    found = interval_text(value, low, high, origin)
    return found.within(f"{{}} {test['unit']}") if test["unit"] else found


def _negligible(test: Part) -> str:
    """The effects that do not matter: from 1 / `matters` to `matters` for a ratio. A statement that
    two things are alike has its bounds in `expect`."""
    matters = test["matters"]
    if matters is None:
        return ""
    least = 1 / matters if test["as_ratio"] else -matters
    return f"{number_text(least)} to {number_text(matters)}"

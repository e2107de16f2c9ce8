"""Tables made of the ledger: the dataset's, which can restore it, and the paper's."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.published import load_published, with_ours
from remeasure.paper.analysis.decisions import HIDDEN, NO_DIFFERENCE, NOT_TESTABLE
from remeasure.paper.analysis.entry import Entry, Ledger, Part
from remeasure.paper.analysis.texts import interval_text, number_text
from remeasure.paper.analysis.verdicts.bayes_factors import bayes_factor_of, evidence_text
from remeasure.paper.analysis.verdicts.ledger import counted, with_tests
from remeasure.paper.notebook.plain_labels import label
from remeasure.paper.tidy.parquet import read_parquet

PATH = ROOT / "data/tidy/claims.parquet"
_OF_ENTRY = (
    "study", "scenario", "id", "says", "published", "verdict", "family_wise", "false_discovery",
    "uncorrected", "size", "decided_by", "parts", "reason", "note", "uncounted", "stood",
    "blocks", "rules", "method",
)  # fmt: skip
_AS_JSON = ("exploratory", "choices", "specifications")
_OF_TEST = ("value", "low", "high", "unit", "n")


def claims_table(ledger: Ledger) -> pd.DataFrame:
    """One row per part of a statement (derived_columns.CLAIMS)."""
    rows = []
    for entry in (with_tests(entry, _without_origin) for entry in ledger):
        fields: Mapping[str, Any] = entry
        tests: Sequence[Part | None] = entry["tests"] or [None]
        shared = {key: fields[key] for key in _OF_ENTRY}
        shared |= {key: json.dumps(fields[key]) for key in _AS_JSON}
        for part, test in enumerate(tests):
            found: Mapping[str, Any] = test or {}
            answer = {key: found[key] for key in _OF_TEST if test}
            answer["bayes_factor"] = bayes_factor_of(test) if test else math.nan
            rows.append(shared | {"part": part, "test": json.dumps(test)} | answer)
    return pd.DataFrame(rows)


def _without_origin(test: Part) -> Part:
    """The test without its place in a file that is not part of the dataset."""
    found = test.copy()
    found.pop("origin", None)
    return found


def released_ledger() -> Ledger:
    """The ledger of the released campaigns, from data/tidy/claims.parquet. Raises UserError."""
    return ledger_of(read_parquet(PATH).to_pandas())


def ledger_of(table: pd.DataFrame) -> Ledger:
    """The ledger whose table (claims_table) this is."""
    entries: list[Any] = []
    for _, parts in table.groupby("id", sort=False, observed=True):
        first = parts.iloc[0]
        tests = [json.loads(test) for test in parts["test"]]
        entries.append(
            {key: first[key] for key in _OF_ENTRY}
            | {key: json.loads(first[key]) for key in _AS_JSON}
            | {"tests": [test for test in tests if test]}
        )
    order = with_ours()
    return sorted(entries, key=lambda entry: order.index(entry["study"]))


def study_table(ledger: Ledger) -> pd.DataFrame:
    """One row per study of the ledger, all text: study, platform, factors, repeats and dispersion
    (as the study states them), statements (counted), and testable statements. Raises UserError."""
    rows = []
    for study in dict.fromkeys(entry["study"] for entry in ledger):
        own = [entry for entry in counted(ledger) if entry["study"] == study]
        published = load_published(study)
        rows.append(
            {
                "study": published.cited,
                **published.method.model_dump(),
                "statements": str(len(own)),
                "testable": str(sum(entry["verdict"] != NOT_TESTABLE for entry in own)),
            }
        )
    return pd.DataFrame(rows)


def verdict_table(ledger: Iterable[Entry]) -> pd.DataFrame:
    """The counted, testable statements, all text: our estimate with its interval, its required
    place, the effects that do not matter, the published number, the part's own verdict, the
    evidence of its Bayes factor, and the corrected verdict on the statement. A statement of several
    parts has a row of its own before theirs. `ledger`: entries of analysis.verdicts.ledger."""
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
    of_part = ["measured", "holds if", "does not matter", "published", "alone", "evidence"]
    columns = ["statement", *of_part, "verdict"]
    return pd.DataFrame(rows, columns=columns, dtype=object).fillna("")


def _part(test: Part) -> dict[str, str]:
    study = test["study"]
    return {
        "statement": f"- {label(test['quantity'], test['brief'])}",
        "measured": _measured(test),
        "holds if": test["expect"],
        "does not matter": _negligible(test),
        "published": "" if study is None else number_text(study),
        "alone": _short(test["verdict"]),
        "evidence": evidence_text(bayes_factor_of(test)),
    }


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

"""The ledger as a table, and back."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.published import studies
from remeasure.paper.analysis.entry import Ledger, Part
from remeasure.paper.analysis.verdicts.ledger import with_tests
from remeasure.paper.tidy.parquet import read_parquet

PATH = ROOT / "data/tidy/claims.parquet"
_OF_ENTRY = (
    "study", "scenario", "id", "says", "published", "verdict", "family_wise", "false_discovery",
    "uncorrected", "size", "decided_by", "parts", "reason", "note", "uncounted", "stood", "code",
    "blocks", "rules", "method",
)  # fmt: skip
_AS_JSON = ("exploratory", "choices", "specifications")
_OF_TEST = ("value", "low", "high", "unit", "n")


def claims_table(ledger: Ledger) -> pd.DataFrame:
    """One row for each part of each statement (derived_columns.CLAIMS). `ledger`: entries of
    analysis.verdicts.ledger."""
    rows = []
    for entry in (with_tests(entry, _without_origin) for entry in ledger):
        fields: Mapping[str, Any] = entry
        tests: Sequence[Mapping[str, Any] | None] = entry["tests"] or [None]
        shared = {key: fields[key] for key in _OF_ENTRY}
        shared |= {key: json.dumps(fields[key]) for key in _AS_JSON}
        for part, test in enumerate(tests):
            answer = {key: test[key] for key in _OF_TEST} if test else {}
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
    order = studies()
    return sorted(entries, key=lambda entry: order.index(entry["study"]))

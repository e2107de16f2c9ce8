"""The paper's table of the studies: how each measured, and how much of it can be tested."""

import re
from collections import Counter

import pandas as pd

from remeasure.bench.claims.published import load_published
from remeasure.paper.analysis.decisions import NOT_TESTABLE
from remeasure.paper.analysis.entry import Ledger
from remeasure.paper.analysis.verdicts.ledger import counted


def study_table(ledger: Ledger) -> pd.DataFrame:
    """One row for each study of the ledger, all text: study, platform, factors, repeats and
    dispersion (as the study states them), statements (counted), testable statements, and why the
    others most often are not. Raises UserError."""
    rows = []
    for study in dict.fromkeys(entry["study"] for entry in ledger):
        own = [entry for entry in counted(ledger) if entry["study"] == study]
        untestable = [entry for entry in own if entry["verdict"] == NOT_TESTABLE]
        published = load_published(study)
        rows.append(
            {
                "study": published.cited,
                **published.method.model_dump(),
                "statements": str(len(own)),
                "testable": str(len(own) - len(untestable)),
                "why not": _most_often(untestable),
            }
        )
    return pd.DataFrame(rows)


def _most_often(untestable: Ledger) -> str:
    """The reason that most of these entries have, and how many have it: 'a level of the study's
    machines (12)'. Reasons are compared by their first clause."""
    reasons = Counter(re.split(r" *[;:,(]", entry["reason"])[0] for entry in untestable)
    return "".join(f"{reason} ({times})" for reason, times in reasons.most_common(1))

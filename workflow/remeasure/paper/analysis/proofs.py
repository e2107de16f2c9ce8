"""How often each kind of proof of treatment was applied, and how often it passed."""

import pandas as pd

from remeasure.bench.base.checks import KINDS
from remeasure.paper.analysis.summaries import Tables

_LAST = ("child-sa", "no-ipsec")
"""kinds of checks that are made after a trial's probes have run"""


def proof_counts(tables: Tables, factor: str) -> pd.DataFrame:
    """One row for each level of `factor`, from the tables trials and checks.

    Columns: trials; 'reached the proof' (number of trials that reached the proof of their
    treatment); the title of each kind of check ('passed/asked', blank if the kind does not apply).
    """
    trials, checks = tables["trials"], tables["checks"]
    asked = checks.groupby([factor, "kind"], observed=True)["passed"].agg(["sum", "size"])
    counts = (asked["sum"].astype(str) + "/" + asked["size"].astype(str)).unstack(fill_value="")
    kinds = {kind: KINDS.get(kind, kind) for kind in [*KINDS, *counts] if kind in counts}
    proven = checks[checks["kind"].isin(_LAST)].drop_duplicates(["campaign", "block", "trial"])
    reached = proven.groupby(factor, observed=True).size()
    table = trials.groupby(factor, observed=True).size().rename("trials").to_frame()
    table["reached the proof"] = reached.reindex(table.index, fill_value=0)
    return table.join(counts[list(kinds)].rename(columns=kinds))

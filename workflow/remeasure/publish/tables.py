"""Tables of text for people, in notebook and paper alike."""

import pandas as pd

from remeasure.analysis.texts import interval_text, number_text, p_text

__all__ = ["claims_table", "interval_text", "number_text", "p_text", "quality"]


def claims_table(answers: pd.DataFrame, verdicts: pd.Series) -> pd.DataFrame:
    """One row a claim that was tested: what it says, what the study gives for it, what every test
    found, and the verdict. All text; `answers` and `verdicts` are those of analysis.claims."""

    def one(row) -> str:
        estimate = f"{interval_text(row.value, row.low, row.high)} {row.unit}".strip()
        return f"{row.brief}: {estimate}" if row.brief else estimate

    def found(group: pd.DataFrame) -> str:
        return "; ".join(one(row) for row in group.itertuples())

    rows = [
        {
            "claim": group["says"].iloc[0],
            "study": group["published"].iloc[0],
            "found": found(group),
            "verdict": verdicts[key] or "(none asked)",
        }
        for key, group in answers.groupby("id", sort=False)
    ]
    return pd.DataFrame(rows)


def quality(trials: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Trials by cell: how many were measured, accepted, suspect and rejected, and their checks."""
    groups = trials.groupby(factors, observed=True)
    table = groups.agg(
        trials=("trial", "size"),
        accepted=("verdict", lambda v: (v == "accepted").sum()),
        suspect=("verdict", lambda v: (v == "suspect").sum()),
        rejected=("verdict", lambda v: (v == "rejected").sum()),
        repeated=("attempt", lambda v: (v > 1).sum()),
        checks=("checks", "sum"),
        passed=("checks_passed", "sum"),
        busy=("busy", "mean"),
        foreign_max=("foreign", "max"),
        probe_share=("probe_share", "mean"),
    )
    return table.reset_index()

"""Tables of text for people, in notebook and paper alike."""

import math

import pandas as pd

from remeasure.analysis.lineage import printed


def number_text(value: float, digits: int = 3) -> str:
    """`digits` significant digits, no exponent; 'n/a' where there is none."""
    if value is None or not math.isfinite(value):
        return "n/a"
    if abs(value) < 1e-12:  # what rounding leaves of nothing
        return "0"
    return printed(f"{value:.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}", value)


def interval_text(value: float, low: float, high: float, digits: int = 3) -> str:
    """'12.3 [11.9, 12.8]'"""
    if not math.isfinite(low) or not math.isfinite(high):
        return number_text(value, digits)
    return printed(
        f"{number_text(value, digits)} [{number_text(low, digits)}, {number_text(high, digits)}]",
        value,
    )


def p_text(p: float) -> str:
    """A p value as one prints it; 'n/a' where the test is not defined."""
    if not math.isfinite(p):
        return "n/a"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def side_by_side(comparisons: pd.DataFrame, labels: dict[tuple[str, str], str]) -> pd.DataFrame:
    """The study's table beside ours: one row a comparison, all text.

    `labels` names each (probe, metric). The study's p is shown as printed (three decimals).
    """
    return pd.DataFrame(
        [
            {
                "network": row.network,
                "quantity": f"{labels[row.probe, row.metric]}, {row.unit}",
                "study PSK": f"{row.psk:g}",
                "study RSA": f"{row.rsa:g}",
                "study p": f"{row.p:.3f}",
                "PSK": interval_text(row.ours_psk, row.ours_psk_low, row.ours_psk_high),
                "RSA": interval_text(row.ours_rsa, row.ours_rsa_low, row.ours_rsa_high),
                "RSA - PSK": interval_text(row.diff, row.diff_low, row.diff_high, 2),
                "p": p_text(row.p_t),
                "p (Holm)": p_text(row.p_holm),
            }
            for row in comparisons.itertuples()
        ]
    )


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

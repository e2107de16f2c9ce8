"""What a notebook says first: where its numbers come from, and how good its trials were."""

import pandas as pd

from remeasure.publish.results import Results


def provenance_table(where: dict) -> pd.DataFrame:
    """All that `provenance` found, to be shown."""
    return pd.Series({key: str(value) for key, value in where.items()}, name="").to_frame()


def campaign_row(
    results: Results, scenario: str, where: dict, trials: pd.DataFrame
) -> pd.DataFrame:
    """The scenario's row of the paper's table of campaigns; returned to be shown."""
    verdicts = trials["verdict"].value_counts()
    return results.table(
        "campaign",
        pd.DataFrame(
            [
                {
                    "scenario": scenario,
                    "campaign": where["campaign"],
                    "profile": where["profile"],
                    "first day": where["first_day"],
                    "blocks": where["blocks"],
                    "trials": len(trials),
                    **{v: verdicts.get(v, 0) for v in ("accepted", "suspect", "rejected")},
                    "checks passed": f"{trials['checks_passed'].sum()} of {trials['checks'].sum()}",
                }
            ]
        ),
    )


def not_accepted(trials: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """Every trial that was not accepted, with its reasons."""
    return trials.loc[
        trials["verdict"] != "accepted", ["block", "trial", *factors, "verdict", "reasons"]
    ]

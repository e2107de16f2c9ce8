"""The same trials, summarised by other choices of analysis that would have been as reasonable."""

import pandas as pd

from remeasure.analysis.summaries import trial_summaries

MEDIANS = "medians within a trial"
LATER = "first repeat left out"
ACCEPTED = "accepted trials only"
NEAR = "outlying trials left out"
FARTHEST = 3
"""distance from the median of the cell beyond which a trial is an outlier [standard deviations,
estimated from the median absolute deviation]"""
_ENOUGH = 4
"""smallest number of trials of a cell at which one of them can be an outlier"""


def other_choices(
    trials: pd.DataFrame, observations: pd.DataFrame, factors: list[str], summaries: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Name of each choice -> the summaries (see summaries.py) that the notebook would have had
    under it.

    `summaries` are the notebook's: those of `observations`, and rows that it derived. A choice
    about readings within a trial leaves derived rows as they are. `trials` is the table of trials.
    """
    derived = summaries[~summaries["metric"].isin(set(observations["metric"]))]
    here = observations.merge(
        summaries[["block", "trial"]].drop_duplicates(), on=["block", "trial"]
    )

    def made_of(chosen: pd.DataFrame, estimator: str = "mean") -> pd.DataFrame:
        return pd.concat([trial_summaries(chosen, factors, estimator), derived], ignore_index=True)

    repeats = here.groupby(["block", "trial", "probe"], observed=True)["repeat"].transform("max")
    accepted = trials.loc[trials["verdict"] == "accepted", ["block", "trial"]]
    return {
        MEDIANS: made_of(here, "median"),
        LATER: made_of(here[(here["repeat"] > 1) | (repeats == 1)]),
        ACCEPTED: summaries.merge(accepted, on=["block", "trial"]),
        NEAR: _in_line(summaries),
    }


def _in_line(summaries: pd.DataFrame) -> pd.DataFrame:
    cell = [c for c in summaries.columns if c not in ("block", "trial", "value")]
    values = summaries.groupby(cell, observed=True)["value"]
    off = (summaries["value"] - values.transform("median")).abs()
    spread = 1.4826 * off.groupby([summaries[c] for c in cell], observed=True).transform("median")
    out = (off > FARTHEST * spread) & (spread > 0) & (values.transform("size") >= _ENOUGH)
    return summaries[~out]

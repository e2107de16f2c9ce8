"""The same trials, analysed by other reasonable choices. A choice changes either the summaries of
trials, or the questions: their bounds, or the levels behind a word such as "medium"."""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr as normal_share
from scipy.special import stdtrit as student_quantile

from remeasure.bench.claims.claim import Claim
from remeasure.bench.claims.published import Published
from remeasure.bench.claims.questions import RATIOS, Question, bounds
from remeasure.paper.analysis.contrasts import NORMAL_MEDIAN
from remeasure.paper.analysis.selection import Groups
from remeasure.paper.analysis.summaries import of_kind, trial_summaries
from remeasure.paper.analysis.verdicts.answers import Summaries

SWAPPED = "medians for means, and means for medians"
LATER = "first repeat left out"
ACCEPTED = "accepted trials only"
NEAR = "outlying trials left out"
PACED = "costs at usual pace"
BOUNDS = {"bounds half as wide": 0.5, "bounds twice as wide": 2.0}
"""name of a choice -> factor of all bounds and smallest effects that matter"""
FARTHEST = 4
"""distance from the prediction by block and cell beyond which a trial is an outlier [standard
deviations of a normal distribution]. The deviation comes from the median absolute deviation of the
trial's own cell: cells limited by a link vary sixty times less than cells limited by processors,
and one spread for all would turn ordinary trials into outliers. From few trials it is uncertain, so
the distance is the one that is as rare in Student's distribution."""
_FEWEST = 4
"""fewest trials of a cell from which its spread is estimated"""


def of_estimators(
    observations: pd.DataFrame, factors: list[str], summaries: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """The Summaries that answer questions. `summaries` are the notebook's: the summaries of
    `observations`, and derived rows, which stay the same."""
    here = observations.merge(
        summaries[["block", "trial"]].drop_duplicates(), on=["block", "trial"]
    )
    derived = summaries[~summaries["metric"].isin(observations["metric"].unique())]
    return {
        estimator: pd.concat([trial_summaries(here, factors, estimator), derived])
        for estimator in ("mean", "median")
    }


def other_summaries(
    trials: pd.DataFrame, observations: pd.DataFrame, factors: list[str], summaries: pd.DataFrame
) -> dict[str, Summaries]:
    """Name of each choice -> the summaries under it. `trials` is the table of trials; other
    parameters as in `of_estimators`. A choice about readings within a trial leaves derived rows
    unchanged."""
    usual = of_estimators(observations, factors, summaries)
    of_probe = observations.groupby(["block", "trial", "probe"], observed=True)
    repeats = of_probe["repeat"].transform("max")
    later = observations[(observations["repeat"] > 1) | (repeats == 1)]
    accepted = trials.loc[trials["verdict"] == "accepted", ["block", "trial"]]
    found: dict[str, Summaries] = {
        SWAPPED: {"mean": usual["median"], "median": usual["mean"]},
        LATER: of_estimators(later, factors, summaries),
        ACCEPTED: {name: one.merge(accepted) for name, one in usual.items()},
        NEAR: {name: _without_outliers(one) for name, one in usual.items()},
    }
    paces = _relative_paces(trials)
    if not paces.empty:
        found[PACED] = {name: _at_usual_pace(one, paces) for name, one in usual.items()}
    return found


def _relative_paces(trials: pd.DataFrame) -> pd.Series:
    """Block and trial -> the pace of the trial (campaign.pace), as a multiple of the usual pace of
    its block: the lower median. Empty without trials that recorded it."""
    times = trials.set_index(["block", "trial"])[["pace_before", "pace_after"]].dropna()
    pace = times.mean(axis=1)
    return pace / pace.groupby("block").transform("quantile", 0.5, interpolation="lower")


def _at_usual_pace(summaries: pd.DataFrame, paces: pd.Series) -> pd.DataFrame:
    """The summaries with processor times divided by the pace of their trial. A processor that takes
    1.2 times as long for a fixed computation takes as long for packets, as far as memory does not
    hold it up. To leave slow trials out would need a bound, and would unbalance blocks."""
    trials = pd.MultiIndex.from_frame(summaries[["block", "trial"]])
    factors = pd.Series(paces.reindex(trials).fillna(1).to_numpy(), index=summaries.index)
    costs = of_kind(summaries["metric"], "cost")
    return summaries.assign(value=summaries["value"] / factors.where(costs, 1))


def with_bounds(study: Published, factor: float) -> Published:
    """The study with all bounds, and all smallest effects that matter, `factor` times as far from
    the middle: from no effect, or from the middle of two bounds."""
    return _changed(study, lambda test: _with_bounds(test, factor))


def with_groups(study: Published, other: Groups) -> Published:
    """The study with groups of levels of `other`, which replace groups of the same name."""
    groups = {
        factor: {**study.groups.get(factor, {}), **other.get(factor, {})}
        for factor in {**study.groups, **other}
    }
    return study.model_copy(update={"groups": groups})


def at_level(study: Published, factor: str, level: str) -> Published:
    """The study with each question asked at this level of a factor, unless it chooses or compares
    levels of the factor itself."""

    def there(test: Question) -> Question:
        if test.names(factor):
            return test
        return test.model_copy(update={"where": test.where | {factor: level}})

    return _changed(study, there)


def in_worlds(claim: Claim, factor: str) -> bool:
    """True if some question of the claim leaves open the level of `factor`."""
    return any(not test.names(factor) for test in (*claim.tests, *claim.primary))


def with_reading(study: Published, turned: Collection[str]) -> Published:
    """The study with the directions of the claims `turned` reversed: "higher performance" of a
    delay can mean more of it, or less."""

    def other(test: Question) -> Question:
        side = {">": "<", "<": ">"}.get((test.expect or "")[:1])
        if not side or not test.directional:
            return test
        return test.model_copy(update={"expect": side + str(test.expect)[1:]})

    return _changed(study, other, turned)


def _changed(
    study: Published, change: Callable[[Question], Question], claims: Collection[str] | None = None
) -> Published:
    """The study with each question of these claims changed, by default of all."""

    def changed(claim: Claim) -> Claim:
        if claims is not None and claim.id not in claims:
            return claim
        return claim.with_questions(change)

    return study.model_copy(update={"claims": [*map(changed, study.claims)]})


def _with_bounds(test: Question, factor: float) -> Question:
    if test.expect is None:
        return test
    ratio = test.quantity in RATIOS
    if test.matters is not None:
        wider = test.matters**factor if test.neutral == 1 else test.matters * factor
        return test.model_copy(update={"matters": float(wider)})
    least, most = bounds(test.expect)
    if np.isinf(least) or np.isinf(most):
        bound = most if np.isinf(least) else least
        far = bound**factor if ratio else test.neutral + (bound - test.neutral) * factor
        return test.model_copy(update={"expect": f"{test.expect[0]} {far:.6f}"})
    middle, half = (least + most) / 2, (most - least) / 2
    low, high = middle - factor * half, middle + factor * half
    if ratio:
        middle, half = np.sqrt(least * most), np.sqrt(most / least)
        low, high = middle / half**factor, middle * half**factor
    return test.model_copy(update={"expect": f"{low:.6f} to {high:.6f}"})


def _without_outliers(summaries: pd.DataFrame) -> pd.DataFrame:
    """The summaries without trials far from the prediction by block and cell. Estimates allow for
    the holes (estimates.py)."""
    cell = [c for c in summaries.columns if c not in ("block", "trial", "value")]
    of_cell = [summaries[column] for column in cell]
    of_block = [summaries[column] for column in ("probe", "metric", "block")]

    def over(values: pd.Series, keys: list[Any], what: str) -> pd.Series:
        return values.groupby(keys, observed=True).transform(what)

    logs = np.log(summaries["value"].where(summaries["value"] > 0))
    left = logs - over(logs, of_cell, "median")
    # The median of a block's few trials would be the outlier itself.
    left -= over(left, of_block, "median").where(over(left, of_block, "count") >= 5, 0)
    # A trial that is the median of its cell has no distance from it, and shows nothing of others.
    apart = left.abs().where(left != 0)
    spread = over(apart, of_cell, "median") / NORMAL_MEDIAN
    n = over(left, of_cell, "count")
    farthest = student_quantile(np.maximum(n - 1, 1), normal_share(FARTHEST))
    return summaries[~((left.abs() > farthest * spread) & (n >= _FEWEST))]

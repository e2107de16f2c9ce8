"""The answer of measured trials to a question: an estimate, and the evidence for a verdict."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import ndtri as normal_quantile

from remeasure.bench.claims.questions import RATIOS, Question
from remeasure.bench.probes import kinds_of
from remeasure.paper.analysis import estimates, estimators
from remeasure.paper.analysis.contrasts import Contrasts
from remeasure.paper.analysis.decisions import ALPHA, NO_EVIDENCE, Evidence, evidence
from remeasure.paper.analysis.selection import Groups, Measurements, chosen_cells, selected
from remeasure.paper.analysis.summaries import of_kind
from remeasure.paper.analysis.texts import in_words

Scale = Literal["plain", "logarithmic", "geometric"]
"""values enter contrasts as they are, as logarithms, or so that the mean of a cell is its geometric
mean (estimates.geometric)"""


@dataclass(frozen=True)
class Answer:
    """The answer to one question."""

    estimate: estimates.Estimate
    evidence: Evidence = NO_EVIDENCE
    at: str = ""
    """the level of an extreme"""
    asked_at: str = ""
    """of an extreme of which levels are missing: at how many it was asked, of how many"""
    blocks: tuple[int, ...] = ()
    """the blocks that it is from"""
    cells: pd.DataFrame = field(default_factory=pd.DataFrame)
    """the cells that it is from: one row for each, a column for each factor and for the probe"""
    t: float = np.nan
    """Student's t of the estimate against no effect; NaN unless each block gives one ratio or
    difference"""
    why_not: str = ""
    """why there is no estimate; empty if there is one"""
    still: bool = False
    """True if blocks do not vary at all, in something that is measured and not counted"""


def evaluate(
    test: Question, summaries: pd.DataFrame | Measurements, groups: Groups
) -> estimates.Estimate:
    """The estimate of `examine`; `Measurements` are faster for many questions."""
    if isinstance(summaries, pd.DataFrame):
        summaries = Measurements(summaries)
    return examine(test, summaries, groups).estimate


def examine(
    test: Question,
    summaries: Measurements,
    groups: Groups,
    *,
    traced: bool = True,
    flips: bool = False,
) -> Answer:
    """Answer a question from measurements of summaries (columns: summaries.py).

    The estimate is NaN, from 0 blocks, if a choice matches no measured cell. Its interval is 95 %;
    the intervals of all levels of an extreme are simultaneous. Summaries of trials in virtual time,
    of another scenario, or of another campaign than the first have the attribute VIRTUAL, SCENARIO
    or CAMPAIGN (lineage.py). `traced`: give the estimate its origin; `flips`: estimate by sign
    flips (estimators.py). Raises ValueError naming a factor that does not exist.
    """
    measured = summaries.of(test.metric, test.probe)
    if measured.cells.empty:
        what = f"{test.metric} of {test.probe}" if test.probe else test.metric
        return Answer(estimates.NOTHING, why_not=f"no value of {what} in these trials")
    used, asked, cells = selected(test, measured, groups)
    if asked is None:
        return Answer(estimates.NOTHING, why_not=_missing(test, measured.cells, groups))
    values = measured.values[:, used]
    answer = _answer(test, asked, values, scale_of(test, values, measured.unit), flips)
    if "loss" in kinds_of(test.metric) and not np.nanmax(np.abs(values)):
        answer = _none_lost(test, asked, summaries.summaries, cells)
    share = estimates.blocks_behind(values, asked.weights).max(axis=1)
    blocks = tuple(int(block) for block in measured.blocks[share > 0])
    estimate = answer.estimate
    if traced:
        levels = [measured.levels[cell] for cell in np.flatnonzero(used)]
        where = summaries.summaries.attrs
        # A comparison has no unit, and a scaled level another one.
        unit = measured.unit if test.quantity == "level" and test.scale == 1 else ""
        estimate = estimate.measured(in_words(test), test.metric, levels, blocks, where, unit)
    still = len(blocks) > 1 and estimate.low == estimate.high and not _whole(values)
    return replace(answer, estimate=estimate, blocks=blocks, cells=cells, still=still)


def _whole(values: np.ndarray) -> bool:
    """True for counts, which can be equal in several blocks."""
    known = values[np.isfinite(values)]
    return bool((known == np.round(known)).all())


def scale_of(test: Question, values: np.ndarray, unit: str) -> Scale:
    """The scale on which a question is estimated from values [unit]."""
    if test.quantity in (*RATIOS, "variation"):
        return "logarithmic"
    if not estimates.is_geometric(values, unit):
        return "plain"
    if test.quantity == "level":
        return "plain" if test.matters is not None else "logarithmic"
    return "geometric"


def _on_scale(values: np.ndarray, scale: Scale) -> np.ndarray:
    if scale == "plain":
        return values
    # 0 has no logarithm. We treat it as missing, which the number of blocks shows.
    logarithms = np.log(np.where(values > 0, values, np.nan))
    return estimates.geometric(logarithms) if scale == "geometric" else logarithms


def weigh(
    test: Question, asked: Contrasts, values: np.ndarray, scale: Scale, flips: bool = False
) -> tuple[estimates.Estimates, Evidence]:
    """Estimates of each contrast of a question, and the evidence. `values` has the shape (...,
    blocks, cells), where leading axes are campaigns of a simulation. `flips`: by sign flips,
    without leading axes, except for a median, which assumes no distribution anyway."""
    if values.ndim == 2:
        # A block that measured only one side must not move the level that a spread is relative to.
        used = estimates.blocks_behind(values, asked.weights).max(axis=1) > 0
        values = values[used if used.any() else ~used]
    values = asked.transform(_on_scale(values, scale))
    found: estimates.Estimates
    if test.quantity in ("excess", "straightness"):
        parts = asked.weights, asked.rise
        if test.quantity == "excess":
            parts = asked.weights[:, :1], asked.weights[:, 1]
        found = estimators.quotients(values, *parts)
        found = estimators.flipped_quotients(values, *parts, found) if flips else found
    elif test.quantity == "variation":
        found = estimators.median_estimates(values, asked.weights)
    else:
        found = estimates.contrast_estimates(values, asked.weights)
        found = estimators.flipped(values, asked.weights, found) if flips else found
    on_logs = _from_logarithms(test, scale)
    return found, evidence(test, found, asked.extreme, asked.complete, logarithmic=on_logs)


def _answer(
    test: Question, asked: Contrasts, values: np.ndarray, scale: Scale, flips: bool
) -> Answer:
    found, proof = weigh(test, asked, values, scale, flips)
    if np.isnan(found.value).all():
        return Answer(estimates.NOTHING, why_not=_without_value(test, values, scale))
    place = int(np.nanargmax(found.value) if asked.extreme == "max" else np.nanargmin(found.value))
    low, high = found.interval(together(test, found))
    reduce = np.fmax.reduce if asked.extreme == "max" else np.fmin.reduce
    back = np.exp if _from_logarithms(test, scale) else np.asarray
    with np.errstate(over="ignore"):  # an interval from next to no blocks has no end
        value, least, most = (
            float(back(end)) * test.scale for end in (found.value[place], reduce(low), reduce(high))
        )
    if test.quantity == "straightness":
        least = max(least, 0.0)
    shares = estimates.blocks_behind(values, asked.weights)
    behind = shares.sum(axis=0)
    # A ratio of two contrasts has no more blocks than either of them.
    n = round(float(behind.min() if test.quantity == "excess" else behind[place]))
    lacking = "" if asked.complete else f"{len(asked.labels)} of {asked.asked}"
    each = test.quantity in ("ratio", "difference") and shares.shape[1] == 1
    whole = each and not (shares.round(9) % 1).any() and found.error[0] > 0
    t = float(found.distance(0)[0]) if whole else np.nan
    return Answer(
        estimates.Estimate(value, least, most, n), proof, asked.labels[place], lacking, t=t
    )


def _missing(test: Question, cells: pd.DataFrame, groups: Groups) -> str:
    """The choice of a question that matches no cell with its metric, in words."""
    for side in (test.of, test.to, test.base):
        both = test.where | side
        for part in (*({factor: both[factor]} for factor in both), both):
            if not chosen_cells(cells, part, groups).any():
                found = ", ".join(f"{factor} {level}" for factor, level in part.items())
                return f"no value of {test.metric} at {found} in these trials"
    return f"no level has both sides of the comparison of {test.metric}"


def _without_value(test: Question, values: np.ndarray, scale: Scale) -> str:
    """Why cells that were measured give no estimate."""
    if scale == "logarithmic" and (values <= 0).any():
        return f"{test.metric} was 0, which has no ratio"
    if len(values) < 2:
        return "one block only, which does not tell how much blocks vary or differ"
    return f"no block has {test.metric} of every cell that is compared"


def _from_logarithms(test: Question, scale: Scale) -> bool:
    """True if the estimate is a logarithm. A variation of logarithms is none."""
    return scale == "logarithmic" and test.quantity != "variation"


def together(test: Question, found: estimates.Estimates) -> int:
    """How many intervals hold at once (Estimates.interval): of a contrast and its opposite, one."""
    k = found.value.shape[-1]
    return k // 2 if test.quantity == "straightness" else k


def _none_lost(
    test: Question, asked: Contrasts, summaries: pd.DataFrame, cells: pd.DataFrame
) -> Answer:
    """An estimate without any lost packet: its interval is a binomial share's (Clopper and
    Pearson), from the number of packets sent to the cell with the fewest."""
    sent = summaries[of_kind(summaries["metric"], "sent")]
    # A probe that counts several classes has `<class>_loss` for `<class>_sent`.
    own = sent["metric"].str.startswith(test.metric.removesuffix("loss"))
    sent = sent[own] if own.any() else sent
    factors = list(cells.columns)
    totals = sent.merge(cells.drop_duplicates()).groupby([*factors, "metric"], observed=True)
    fewest = totals["value"].sum().min() if len(sent) else np.nan
    most = 100 * (1 - ALPHA ** (1 / fewest))
    n = sent["block"].nunique()
    low = 0.0 if test.quantity == "level" else -most
    estimate = estimates.Estimate(0.0, low * test.scale, most * test.scale, n)
    if not np.isfinite(most):
        return Answer(estimate)
    # With infinite degrees of freedom the error follows from only the half width.
    found = estimates.Estimates(
        np.zeros(1), np.array([most / normal_quantile(1 - ALPHA)]), np.array([np.inf])
    )
    return Answer(estimate, evidence(test, found, asked.extreme, asked.complete))

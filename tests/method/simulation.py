"""Campaigns whose truth is known, to try the rules of verdicts on.

A case is a statement as the studies make it, and truths at which a false verdict is likeliest: no
effect at all, an effect exactly as large as the smallest that matters, a number exactly at its
bound. Campaigns are drawn around each truth with the measured noise (residuals.py), and the code
that answers claims answers these. We count the intervals that include the truth (for an extreme or
a shape: the intervals of all levels at once) and the false verdicts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from residuals import Noise, measured_noise
from scipy.special import stdtrit

from remeasure.bench.claims.questions import Question
from remeasure.paper.analysis.contrasts import NORMAL_MEDIAN, Contrasts
from remeasure.paper.analysis.decisions import Evidence, decide_whole
from remeasure.paper.analysis.estimates import Estimates, beyond
from remeasure.paper.analysis.estimators import Quotients
from remeasure.paper.analysis.evaluation import Scale, scale_of, together, weigh
from remeasure.paper.analysis.selection import select

BLOCKS = (3, 5, 10)
"""numbers of blocks of a simulated campaign"""
RATES = ["blocks", "truth", "held", "endless", "false", "any false", "verdicts"]
TRUTH = "truth"
"""in `expect` of a simulated question: the true value, so that it lies exactly at the bound"""
Chosen = dict[str, list[str]]
"""factor -> its levels in the chosen cells"""
Levels = Callable[[pd.DataFrame, np.ndarray], np.ndarray]
"""cells and their measured levels -> their true levels [unit of the metric]"""


@dataclass(frozen=True)
class Truth:
    """A truth, and the verdicts that are false under it."""

    says: str
    levels: Levels
    false: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A statement, its measurements, and possible truths."""

    kind: str
    says: str
    scenario: str
    probe: str
    metric: str
    where: dict[str, list[str]]
    """the cells whose noise is taken: factor -> levels"""
    alike: list[str]
    """factors that separate cells with more variation from cells with less"""
    tests: list[dict[str, Any]]
    """fields of each question (questions.Question)"""
    truths: list[Truth]
    campaigns: int = 3_000
    """number of campaigns in the full simulation: fewer where one takes longer"""
    hole: bool = False
    """True if one trial of each campaign was rejected"""

    def noise(self, summaries: Mapping[str, pd.DataFrame]) -> Noise:
        """The noise of its trials, from the trial summaries of each scenario."""
        table = summaries[self.scenario]
        return measured_noise(table, self.probe, self.metric, self.where, self.alike)


@dataclass(frozen=True)
class Asked:
    """A question with its contrasts of the simulated cells."""

    test: Question
    used: np.ndarray
    contrasts: Contrasts
    scale: Scale
    truth: np.ndarray
    """true value of each contrast, on that scale"""


class Outcome(NamedTuple):
    """The result of simulated campaigns."""

    held: float
    """share of them whose intervals include the truth"""
    endless: float
    """share of them with an interval that has no upper end"""
    verdicts: np.ndarray


def simulate(case: Case, noise: Noise, seed: int, campaigns: int = 0) -> pd.DataFrame:
    """One row per number of blocks and truth, with columns `RATES`.

    held: share of campaigns whose intervals include the truth, in the part with the lowest share.
    endless: share of campaigns with an interval that has no upper end. false: share with the most
    frequent false verdict. any false: share with any false one, if there are several. All of them
    are 0 to 1. verdicts: the false ones. `campaigns` replaces the case's number.
    """
    random = np.random.default_rng(seed)
    questions = [_question(fields) for fields in case.tests]
    noise = noise.only(np.any([select(one, noise.cells, {})[0] for one in questions], axis=0))
    drawn = noise.draw(campaigns or case.campaigns, max(BLOCKS), random)
    rows, found = [], {}
    for truth in case.truths:
        if truth.levels not in found:
            found[truth.levels] = _outcomes(case, noise, truth.levels, drawn, random)
        for blocks, (held, endless, verdicts) in found[truth.levels].items():
            each = [(verdicts == verdict).mean() for verdict in truth.false]
            says = " or ".join(truth.false)
            rows.append((blocks, truth.says, held, endless, max(each), sum(each), says))
    return pd.DataFrame(rows, columns=RATES)


def coverage(cases: list[Case], summaries: Mapping[str, pd.DataFrame], seed: int) -> pd.DataFrame:
    """The rows of `simulate` for several cases, with three more columns: kind, asked of (the case's
    words), campaigns. `summaries` has the trial summaries of each scenario, by name."""
    columns = ["kind", "asked of", "campaigns", *RATES]
    tables = [
        simulate(case, case.noise(summaries), seed + place).assign(
            kind=case.kind, campaigns=case.campaigns, **{"asked of": case.says}
        )
        for place, case in enumerate(cases)
    ]
    return pd.concat(tables, ignore_index=True)[columns]


def _outcomes(
    case: Case, noise: Noise, levels_of: Levels, drawn: np.ndarray, random: np.random.Generator
) -> dict[int, Outcome]:
    levels = levels_of(noise.cells, noise.levels)
    asked = [_asked(fields, noise, levels) for fields in case.tests]
    values = noise.around(levels, drawn)
    if case.hole:
        return {n: _one_by_one(asked, _with_a_hole(values[:, :n], random)) for n in BLOCKS}
    return {n: _outcome(asked, values[:, :n]) for n in BLOCKS}


def _question(fields: dict[str, Any]) -> Question:
    expect = fields["expect"].replace(TRUTH, "0.5")
    return Question(**fields | {"expect": expect, "because": "of a simulation"})


def _asked(fields: dict[str, Any], noise: Noise, levels: np.ndarray) -> Asked:
    test = _question(fields)
    used, asked, _ = select(test, noise.cells, {})
    if asked is None:
        raise ValueError(f"no cells for a question about {test.metric}")
    scale = scale_of(test, levels, noise.unit)
    if test.quantity == "variation":
        truth = _variation(noise.only(used))
    else:
        # Two blocks without noise have the truth as their estimate.
        truth = weigh(test, asked, np.tile(levels[used], (2, 1)), scale)[0].value
    if TRUTH in fields["expect"]:
        logarithm = scale == "logarithmic" and test.quantity != "variation"
        exact = f"{float(np.exp(truth[0]) if logarithm else truth[0]):.15f}"
        test = test.model_copy(update={"expect": fields["expect"].replace(TRUTH, exact)})
    return Asked(test, used, asked, scale, truth)


def _variation(noise: Noise) -> np.ndarray:
    """The true variation of the one cell of this noise, from everything that can be drawn."""
    off = noise.everything(0)
    return np.array([np.median(np.abs(off - np.median(off))) / NORMAL_MEDIAN])


def _outcome(asked: list[Asked], values: np.ndarray) -> Outcome:
    """`values` has the shape (campaigns, blocks, cells)."""
    held, endless, proofs = zip(*(_answer(one, values) for one in asked), strict=True)
    least = min(float(part.mean()) for part in held)
    return Outcome(least, float(np.any(endless, axis=0).mean()), decide_whole(list(proofs)))


def _one_by_one(asked: list[Asked], values: np.ndarray) -> Outcome:
    """The outcome, campaign by campaign: the model that fills holes takes one at a time."""
    (one,) = asked
    held, endless, proofs = zip(*(_answer(one, table) for table in values), strict=True)
    whole = Evidence(*map(np.array, zip(*proofs, strict=True)))
    return Outcome(float(np.mean(held)), float(np.mean(endless)), decide_whole([whole]))


def _answer(one: Asked, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, Evidence]:
    found, proof = weigh(one.test, one.contrasts, values[..., one.used], one.scale)
    at_once = together(one.test, found)
    endless = np.isinf(found.interval(at_once)[1])
    held = holds(found, one.truth, at_once)
    return np.all(held, axis=-1), np.any(endless, axis=-1), proof


def holds(found: Estimates, truth: np.ndarray, at_once: int = 1) -> np.ndarray:
    """Whether so many intervals at once include the truth. The interval of a quotient may have no
    end and include more than it must; there the test counts."""
    if isinstance(found, Quotients):
        return abs(found.distance(truth)) <= stdtrit(found.df, 1 - beyond(at_once))
    low, high = found.interval(at_once)
    return (low <= truth) & (truth <= high)


def _with_a_hole(values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    campaigns, blocks, cells = values.shape
    values = values.copy()
    where = random.integers(0, blocks, campaigns), random.integers(0, cells, campaigns)
    values[np.arange(campaigns), *where] = np.nan
    return values


def flat(*effects: tuple[float, Chosen], at: float | None = None) -> Levels:
    """The same level in every cell, `at` or the mean of the measured ones, except for effects: a
    factor, and the cells that it multiplies."""

    def levels(cells: pd.DataFrame, measured: np.ndarray) -> np.ndarray:
        middle = np.exp(np.log(measured).mean()) if at is None else at
        found = np.full(len(cells), middle)
        for factor, chosen in effects:
            found[_chosen(cells, chosen)] *= factor
        return found

    return levels


def more(amount: float, chosen: Chosen) -> Levels:
    """The mean of the measured levels in every cell, and in the chosen cells so much more [unit of
    the metric]."""
    return lambda cells, measured: measured.mean() + amount * _chosen(cells, chosen)


def line(factor: str, slope: float | None = None, bend: float = 0.0) -> Levels:
    """A line in a factor, with this slope [unit of the metric per unit of the factor] or the
    measured one; bent so that it is off by `bend` of its rise at its furthest point. It is never
    below a fifth of the mean."""

    def levels(cells: pd.DataFrame, measured: np.ndarray) -> np.ndarray:
        x = cells[factor].astype(float).to_numpy()
        off = x - x.mean()
        steep = off @ measured / (off @ off) if slope is None else slope
        curve = off**2 - np.polyval(np.polyfit(x, off**2, 1), x)
        shape = steep * off + bend * steep * np.ptp(x) * curve / abs(curve).max()
        return max(measured.mean(), -1.25 * shape.min()) + shape

    return levels


def _chosen(cells: pd.DataFrame, chosen: Chosen) -> np.ndarray:
    return np.all([cells[factor].isin(levels) for factor, levels in chosen.items()], axis=0)

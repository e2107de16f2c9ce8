"""Statements of a study, tested on the trials of this project.

A claim has tests; a test is a quantity of chosen cells and what the study says of it. The verdict
of a test is `supported` if the whole interval of the estimate is as expected, `refuted` if no part
of it is, else `inconclusive`. A claim is supported if all of its tests are, and refuted if one is.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from pydantic import model_validator

from remeasure.analysis.arithmetic import Arithmetic, compute
from remeasure.analysis.corrections import holm
from remeasure.analysis.decisions import p_value, verdict
from remeasure.analysis.estimates import Estimate, cell_jackknife
from remeasure.analysis.lineage import remember
from remeasure.analysis.questions import LOGARITHMIC, Levels, Question, statistic
from remeasure.config import Strict
from remeasure.errors import UserError

ANSWER = (
    *("id", "says", "published", "note", "quantity", "brief", "value", "low", "high", "n", "unit"),
    *("study", "as_ratio", "expect", "verdict", "p", "p_holm"),
)
"""columns of the table that `answer` returns"""


class Claim(Strict):
    """One checkable statement of a study."""

    id: str
    """name of the claim, unique among all studies"""
    says: str
    """the statement, in words"""
    published: str = ""
    """numbers that the study gives for the statement"""
    note: str = ""
    """what the study leaves unstated, or where it contradicts itself"""
    tests: list[Question] = []
    """questions to the measurements of this project that decide the claim"""
    not_testable: str = ""
    """why the claim has no tests"""
    recomputed: list[str] = []
    """quantities of data/published/<study>-recomputed.json, shown beside the published numbers"""
    arithmetic: list[Arithmetic] = []
    """numbers that follow from the printed ones alone"""

    @model_validator(mode="after")
    def _formulas_give_numbers(self):
        for one in self.arithmetic:
            try:
                compute(one.formula, one.values)
            except ValueError as error:
                raise ValueError(f"claim {self.id}: {error}") from None
        for place in range(len(self.tests)):
            self.of_study(place)
        return self

    def of_study(self, place: int) -> float:
        """The number that the study prints for the quantity of the test at `place`; NaN if there is
        none."""
        formula = self.tests[place].study
        values = [one.values for one in self.arithmetic[: place + 1]] or [{}]
        try:
            return np.nan if formula is None else compute(formula, values[-1])
        except ValueError as error:
            raise ValueError(f"claim {self.id}: study: {error}") from None


def answer(
    claims: list[Claim], summaries: pd.DataFrame, groups: Mapping[str, dict], **instead: str
) -> pd.DataFrame:
    """Test every claim on `summaries` (their columns: summaries.py). Returns one row for each test.

    Columns: id, says, published, note (of the claim); quantity (in words), brief (`in_brief`);
    value, low, high [unit] and n [blocks] of the estimate, unit; study (`Claim.of_study`); as_ratio
    (bool), expect, verdict; p (two-sided, Student's, against the nearest bound of `expect`), p_holm
    (corrected over all of these tests). `instead` replaces levels that the claims choose (a
    sensitivity analysis). Raises UserError naming a claim about a factor that does not exist.
    """
    rows = []
    known: dict[tuple, pd.DataFrame] = {}
    for claim in claims:
        for place, brief in enumerate(in_brief(claim.tests)):
            test = claim.tests[place]
            where = test.where | {k: v for k, v in instead.items() if k in test.where}
            try:
                estimate = evaluate(
                    test.model_copy(update={"where": where}), summaries, groups, known
                )
            except ValueError as error:
                raise UserError(f"claim {claim.id}: {error}") from None
            rows.append(
                {
                    "id": claim.id,
                    "says": claim.says,
                    "published": claim.published,
                    "note": claim.note,
                    "quantity": in_words(test),
                    "brief": brief,
                    "value": estimate.value,
                    "low": estimate.low,
                    "high": estimate.high,
                    "n": estimate.n,
                    "unit": test.unit,
                    "study": claim.of_study(place),
                    "as_ratio": test.quantity in LOGARITHMIC,
                    "expect": test.expect or "",
                    "verdict": verdict(estimate, test.expect),
                    "p": p_value(estimate, test),
                }
            )
    table = pd.DataFrame(rows, columns=list(ANSWER))
    return table.assign(p_holm=holm(table["p"].astype(float)))


def verdicts(answers: pd.DataFrame) -> pd.Series:
    """Verdict on each claim over all its tests, by id; '' for a claim that expects nothing."""

    def of_claim(found: pd.Series) -> str:
        found = set(found) - {""}
        for worst in ("refuted", "inconclusive", "supported"):
            if worst in found:
                return worst
        return ""

    return answers.groupby("id", sort=False)["verdict"].agg(of_claim)


def recalculate(claims: list[Claim]) -> pd.DataFrame:
    """One row for each number that follows from printed ones.

    Columns: id, says, formula, printed (NaN if the study prints none), expect, recomputed, verdict.
    """
    rows = [
        {
            "id": claim.id,
            "says": one.says,
            "formula": one.formula,
            "printed": np.nan if one.printed is None else one.printed,
            "expect": one.expect or "",
            "recomputed": one.recomputed,
            "verdict": one.verdict,
        }
        for claim in claims
        for one in claim.arithmetic
    ]
    return pd.DataFrame(rows)


def evaluate(
    test: Question,
    summaries: pd.DataFrame,
    groups: Mapping[str, dict],
    known: dict[tuple, pd.DataFrame] | None = None,
) -> Estimate:
    """Estimate the quantity of `test` from `summaries` (their columns: summaries.py).

    The estimate is NaN, from 0 blocks, if a choice matches no measured cell. `known` is a cache:
    pass the same dictionary with the same summaries. Raises ValueError naming a factor that does
    not exist.
    """
    known, key = {} if known is None else known, (test.metric, test.probe)
    if key not in known:
        known[key] = _block_by_cell(summaries, *key)
    wide = known[key]
    if wide.empty:
        return Estimate(np.nan, np.nan, np.nan, 0)
    cells = wide.columns.to_frame(index=False).astype(str)
    where = _chosen(cells, test.where, groups)
    masks = [
        where & _chosen(cells, levels, groups)
        for levels in (test.of, test.to or test.of, test.base or test.of)
    ]
    if not all(mask.any() for mask in masks):
        return Estimate(np.nan, np.nan, np.nan, 0)
    used = np.any(masks, axis=0)
    values = wide.to_numpy()[:, used]
    estimate = cell_jackknife(
        values,
        statistic(test, cells[used], *(mask[used] for mask in masks)),
        logarithms=test.quantity in LOGARITHMIC,
    )
    scaled = Estimate(
        estimate.value * test.scale,
        estimate.low * test.scale,
        estimate.high * test.scale,
        estimate.n,
    )
    return remember(
        scaled,
        in_words(test),
        test.metric,
        cells[used].to_dict("records"),
        wide.index[np.isfinite(values).all(axis=1)],
    )


def _block_by_cell(summaries: pd.DataFrame, metric: str, probe: str | None) -> pd.DataFrame:
    """Table of shape (blocks, cells); each value is the mean over the trials of the cell in that
    block."""
    table = summaries[summaries["metric"] == metric]
    if probe:
        table = table[table["probe"] == probe]
    factors = [c for c in table.columns if c not in ("block", "trial", "metric", "unit", "value")]
    return table.pivot_table(index="block", columns=factors, values="value", observed=True)


def _chosen(cells: pd.DataFrame, levels: Levels, groups: Mapping[str, dict]) -> np.ndarray:
    mask = np.ones(len(cells), dtype=bool)
    for factor, wanted in levels.items():
        if factor not in cells:
            raise ValueError(f"no factor {factor!r}; known: {', '.join(cells)}")
        wanted = groups.get(factor, {}).get(wanted, wanted) if isinstance(wanted, str) else wanted
        wanted = wanted if isinstance(wanted, list) else [wanted]
        mask &= cells[factor].isin([str(level) for level in wanted]).to_numpy()
    return mask


def in_words(test: Question) -> str:
    """The question in words: 'ratio of goodput, payload small to payload large; transport udp'."""

    def words(levels: Levels) -> str:
        return ", ".join(
            f"{factor} {'/'.join(map(str, v)) if isinstance(v, list) else v}"
            for factor, v in levels.items()
        )

    text = "" if test.quantity == "level" else f"{test.quantity.replace('_', ' ')} of "
    text += test.metric
    if test.of:
        text += f", {words(test.of)}"
    if test.to:
        text += f" to {words(test.to)}"
    if test.base:
        text += f", above {words(test.base)}"
    if test.over:
        text += f", {'by' if test.reduce == 'mean' else test.reduce + ' over'} {test.over}"
    if test.where:
        text += f"; {words(test.where)}"
    return text


def in_brief(tests: list[Question]) -> list[str]:
    """For each test, the few words that differ between the tests of its claim: 'max tcp', 'small to
    large'. Empty for a single test."""

    def parts(test: Question) -> dict[str, str]:
        def words(levels: Levels, before: str = "") -> dict[str, str]:
            return {
                before + factor: before + "/".join(map(str, v if isinstance(v, list) else [v]))
                for factor, v in levels.items()
            }

        of = test.where | test.of
        return {
            "quantity": "" if test.quantity == "level" else test.quantity.replace("_", " "),
            "reduce": "" if test.reduce == "mean" else test.reduce,
            "metric": test.metric.replace("_", " "),
            "probe": test.probe or "",
            **words(of),
            **words(_differing(test.to, of), "to "),
            **words(_differing(test.base, of), "above "),
        }

    described = [parts(test) for test in tests]
    telling = {
        key
        for one in described
        for key, text in one.items()
        if any(other.get(key) != text for other in described)
    }
    return [
        " ".join(text for key, text in one.items() if key in telling and text) for one in described
    ]


def _differing(levels: Levels, others: Levels) -> Levels:
    return {factor: level for factor, level in levels.items() if others.get(factor) != level}

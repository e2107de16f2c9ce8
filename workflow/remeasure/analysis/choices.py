"""The verdicts on a study's claims under other choices of the analysis.

Choices are of five kinds, since they say different things. Another *estimator* is as reasonable as
ours, so a verdict should stand under it. Other *bounds*, and another *correction*, are laxer or
stricter by construction: that a laxer one decides more says nothing. Another *meaning* of the
study's words is a choice of whoever reads it. And trials made *elsewhere* (on another link, under
another load) are another experiment, whose verdicts are results of their own.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from remeasure.analysis.answers import Summaries, answer
from remeasure.analysis.judging import Judged
from remeasure.analysis.readable import Bench
from remeasure.analysis.sensitivity import BOUNDS, with_bounds, with_groups, with_reading
from remeasure.analysis.verdicts import headline, verdicts
from remeasure.claims.published import Published

ESTIMATOR, BOUND, CORRECTION = "estimator", "bounds", "correction"
MEANING, ELSEWHERE = "meaning", "elsewhere"
KINDS = (ESTIMATOR, BOUND, CORRECTION, MEANING, ELSEWHERE)
UNCORRECTED = "no correction for the number of statements"
REGISTERED = "as registered"
_CORRECTIONS = {
    "family_wise": "family-wise error rate",
    "false_discovery": "false discovery rate",
    "uncorrected": UNCORRECTED,
}
"""column of `verdicts.verdicts` -> the choice that it is"""


class Choice(NamedTuple):
    """One other choice, and what it leads to."""

    kind: str
    """one of KINDS"""
    name: str
    verdicts: dict[str, str]
    """claim -> its verdict"""
    answers: pd.DataFrame
    """the answers under it (answers.ANSWER)"""


class Analyst:
    """Judges one study's claims under other choices; the family of claims that are corrected
    together, and the rules, are those of `judged`."""

    def __init__(
        self,
        study: Published,
        usual: Summaries,
        others: Mapping[str, Summaries],
        judged: Judged,
        bench: Bench,
    ):
        """`usual` are the summaries that `judged` is from; `others` those of other estimators."""
        self._study, self._usual, self._others = study, usual, others
        self._judged, self._bench = judged, bench

    def choices(self, instead: Mapping[str, str]) -> list[Choice]:
        """Every choice of every kind. `instead` (factor -> level): where else trials were made."""
        study, found = self._study, []
        for name, summaries in self._others.items():
            found.append(self._choice(ESTIMATOR, name, study, summaries))
        for name, factor in BOUNDS.items():
            wider = study.model_copy(update={"claims": with_bounds(study.claims, factor)})
            found.append(self._choice(BOUND, name, wider, self._usual))
        for column, name in _CORRECTIONS.items():
            if column != headline(self._judged.rules):
                corrected = self._judged.verdicts[column].to_dict()
                found.append(Choice(CORRECTION, name, corrected, self._judged.answers))
        for name, groups in study.other_groups.items():
            other = study.model_copy(update={"groups": with_groups(study.groups, groups)})
            found.append(self._choice(MEANING, name, other, self._usual))
        for name, turned in study.other_readings.items():
            other = study.model_copy(update={"claims": with_reading(study.claims, turned)})
            found.append(self._choice(MEANING, name, other, self._usual))
        if instead:
            found.append(self._choice(ELSEWHERE, level(instead), study, self._usual, instead))
        return found

    def _choice(
        self,
        kind: str,
        name: str,
        study: Published,
        summaries: Summaries,
        instead: Mapping[str, str] | None = None,
    ) -> Choice:
        answers, table = self._verdicts(study, summaries, instead)
        return Choice(kind, name, table["verdict"].to_dict(), answers)

    def _verdicts(
        self, study: Published, summaries: Summaries, instead: Mapping[str, str] | None = None
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        rules = self._judged.rules
        answers = answer(
            study.claims,
            summaries,
            study.groups,
            traced=False,
            rules=rules,
            bench=self._bench,
            instead=instead,
        )
        return answers, verdicts(answers, rules, self._judged.family)

    def specifications(self) -> dict[str, list[dict]]:
        """Claim of `Published.headline` -> every combination of estimator, bounds and correction.

        Keys of each: estimator, bounds, correction; verdict; value, low, high [unit of the first
        question] of the first part, None where they are not finite.
        """
        shown = [claim for claim in self._study.headline if claim not in self._judged.reasons]
        found: dict[str, list[dict]] = {claim: [] for claim in shown}
        estimators = {REGISTERED: self._usual, **self._others}
        bounds = {REGISTERED: 1.0, **BOUNDS}
        for (estimator, summaries), (bound, factor) in itertools.product(
            estimators.items() if shown else (), bounds.items()
        ):
            claims = with_bounds(self._study.claims, factor)
            study = self._study.model_copy(update={"claims": claims})
            answers, table = self._verdicts(study, summaries)
            first = answers.drop_duplicates("id").set_index("id")
            for claim, (column, name) in itertools.product(shown, _CORRECTIONS.items()):
                ends = first.loc[claim, ["value", "low", "high"]].to_dict()
                found[claim].append(
                    {"estimator": estimator, "bounds": bound, "correction": name}
                    | {"verdict": table.loc[claim, column]}
                    | {key: end if np.isfinite(end) else None for key, end in ends.items()}
                )
        return found


def level(instead: Mapping[str, str]) -> str:
    """The name of the choice of other levels."""
    return ", ".join(f"{factor} {level}" for factor, level in instead.items())

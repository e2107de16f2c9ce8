"""The verdicts on a study's claims under other choices of the analysis.

Choices are of six kinds. Another *estimator* is as reasonable as ours, so a verdict should survive
it. Other *bounds*, and another *correction*, are laxer or stricter by construction: a laxer one
always decides more. Another *quantity*, processor time of a packet instead of a byte, shows which
verdicts hang on it. Another *meaning* of the study's words is a choice of the reader. Trials made
*elsewhere* (on another link, under another load) are another experiment, whose verdicts are results
of their own.

The other *world* is an experiment, too: the same statements on suites, with all instructions of the
processor instead of none. The studies' gateways computed ciphers without instructions for them, so
the world without them gives the verdict that counts. Each world is judged by itself, with its own
correction over the same family: a reader asks in one of the two worlds, and both verdicts are shown
side by side, so neither is chosen after the data. Only the first is counted.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np
import pandas as pd

from remeasure.bench.claims.published import Published
from remeasure.bench.claims.rules import Rules
from remeasure.paper.analysis.decisions import ALPHA, NOT_TESTABLE, UNDECIDED, adjusted
from remeasure.paper.analysis.entry import Specification
from remeasure.paper.analysis.selection import Measurements
from remeasure.paper.analysis.verdicts.answers import Summaries, answer
from remeasure.paper.analysis.verdicts.judging import Judged, verdicts
from remeasure.paper.analysis.verdicts.readable import BenchFacts
from remeasure.paper.analysis.verdicts.sensitivity import (
    BOUNDS,
    with_bounds,
    with_groups,
    with_reading,
)

ESTIMATOR, BOUND, CORRECTION = "estimator", "bounds", "correction"
QUANTITY, MEANING, ELSEWHERE, WORLD = "quantity", "meaning", "elsewhere", "world"
KINDS = (ESTIMATOR, BOUND, CORRECTION, QUANTITY, MEANING, ELSEWHERE, WORLD)
FLIPS = "sign flips over blocks"
"""name of the estimator that assumes no normal distribution (estimators.py)"""
TOO_FEW = "too few blocks"
"""in place of a verdict by FLIPS: after the correction, its blocks could decide nothing"""
BY_PACKET = "cost of a packet by TCP, too"
"""name of the choice of version 2 of the rules (claims/rules.py)"""
UNCORRECTED = "no correction for the number of statements"
REGISTERED = "as registered"
_CORRECTIONS = {
    "family_wise": "family-wise error rate",
    "false_discovery": "false discovery rate",
    "uncorrected": UNCORRECTED,
}
"""column of `verdicts.judging.verdicts` -> the choice that it is"""


Found = tuple[pd.DataFrame, pd.DataFrame]
"""answers (answers.ANSWER), and verdicts (judging.verdicts)"""


class Choice(NamedTuple):
    kind: str
    """one of KINDS"""
    name: str
    verdicts: dict[str, str]
    """claim -> its verdict"""


class Analyst:
    """Judges one study's claims under other choices; the family of claims that are corrected
    together, and the rules, are taken from `judged`."""

    def __init__(
        self,
        study: Published,
        usual: Summaries,
        others: Mapping[str, Summaries],
        judged: Judged,
        bench: BenchFacts,
    ):
        """`usual`: the summaries that `judged` is from; `others`: summaries by other estimators."""
        self._study, self._estimators = study, {REGISTERED: usual, **others, FLIPS: usual}
        self._judged, self._bench = judged, bench
        self._found = {(REGISTERED, REGISTERED): (judged.answers, judged.verdicts)}
        """estimator and bounds -> answers and verdicts, for `choices` and `specifications`"""
        self._known: dict[str, dict[str, Measurements]] = {}
        """estimator -> measurements of its summaries, whatever the bounds"""

    def choices(self, instead: Mapping[str, str]) -> list[Choice]:
        """Every choice of every kind. `instead` (factor -> level): where else trials were made."""
        study = self._study
        found = [
            _choice(ESTIMATOR, name, self._specified(name, REGISTERED))
            for name in self._estimators
            if name != REGISTERED
        ]
        self._mark_too_few(found[-1])
        found += [_choice(BOUND, name, self._specified(REGISTERED, name)) for name in BOUNDS]
        for column, name in _CORRECTIONS.items():
            if column != self._judged.rules.error_rate:
                found.append(Choice(CORRECTION, name, self._judged.verdicts[column].to_dict()))
        found += self._by_packet()
        for name, groups in study.other_groups.items():
            found.append(_choice(MEANING, name, self._verdicts(with_groups(study, groups))))
        for name, turned in study.other_readings.items():
            found.append(_choice(MEANING, name, self._verdicts(with_reading(study, turned))))
        if instead:
            there = self._verdicts(study, instead=instead)
            name = ", ".join(f"{factor} {level}" for factor, level in instead.items())
            found.append(_choice(ELSEWHERE, name, there))
        return found

    def _by_packet(self) -> list[Choice]:
        """The choice BY_PACKET, if a question is another one then."""
        if not self._judged.rules.by_byte:
            return []
        then = replace(self._judged.rules, by_byte=False)
        answers, table = self._verdicts(self._study, rules=then)
        if answers["quantity"].equals(self._judged.answers["quantity"]):
            return []
        refused = answers.loc[answers["unreadable"] != "", "id"]
        found = table["verdict"].to_dict() | dict.fromkeys(refused, NOT_TESTABLE)
        return [Choice(QUANTITY, BY_PACKET, found)]

    def _mark_too_few(self, by_flips: Choice) -> None:
        """Mark verdicts that sign flips could not decide among the undecided ones."""
        answers, _ = self._specified(FLIPS, REGISTERED)
        blocks = answers.groupby("id")["blocks"].agg(lambda of: min(map(len, of)))
        rules = self._judged.rules
        method = rules.methods[rules.error_rate]
        few = adjusted(2 * 0.5**blocks, self._judged.family, method) > 2 * ALPHA
        for claim in few.index[few]:
            if by_flips.verdicts[claim] == UNDECIDED:
                by_flips.verdicts[claim] = TOO_FEW

    def _specified(self, estimator: str, bound: str) -> Found:
        """The answers and verdicts under an estimator and bounds, each by its name."""
        if (estimator, bound) not in self._found:
            study = self._study
            if bound != REGISTERED:
                study = with_bounds(study, BOUNDS[bound])
            self._found[estimator, bound] = self._verdicts(study, estimator)
        return self._found[estimator, bound]

    def _verdicts(
        self,
        study: Published,
        estimator: str = REGISTERED,
        instead: Mapping[str, str] | None = None,
        rules: Rules | None = None,
    ) -> Found:
        rules = rules or self._judged.rules
        answers = answer(
            study,
            self._estimators[estimator],
            traced=False,
            rules=rules,
            bench=self._bench,
            instead=instead,
            known=self._known.setdefault(estimator, {}),
            flips=estimator == FLIPS,
        )
        return answers, verdicts(answers, rules, self._judged.family)

    def specifications(self) -> dict[str, list[Specification]]:
        """Claim of `Published.headline` -> every combination of estimator, bounds and
        correction."""
        shown = [claim for claim in self._study.headline if claim not in self._judged.reasons]
        found: dict[str, list[Specification]] = {claim: [] for claim in shown}
        for estimator, bound in itertools.product(
            self._estimators if shown else (), (REGISTERED, *BOUNDS)
        ):
            answers, table = self._specified(estimator, bound)
            first = answers.drop_duplicates("id").set_index("id")
            for claim, (column, name) in itertools.product(shown, _CORRECTIONS.items()):
                ends = first.loc[claim, ["value", "low", "high"]]
                numbers = (end if np.isfinite(end) else None for end in ends)
                values = (estimator, bound, name, table.loc[claim, column], *numbers)
                fields = dict(zip(Specification.__annotations__, values, strict=True))
                found[claim].append(cast(Specification, fields))
        return found


def _choice(kind: str, name: str, found: Found) -> Choice:
    return Choice(kind, name, found[1]["verdict"].to_dict())


def other_world(there: Judged, asked: Iterable[str]) -> Choice:
    """The verdicts of the world with instructions on the claims `asked` in both."""
    found = {claim: there.verdict(claim) or NOT_TESTABLE for claim in asked}
    return Choice(WORLD, "with AES instructions", found)

"""Statements of a study, as questions to the trials of this project."""

import math
from typing import Self

from pydantic import model_validator

from remeasure.bench.base.config import Strict
from remeasure.bench.claims.arithmetic import Arithmetic, compute
from remeasure.bench.claims.questions import Question
from remeasure.bench.claims.rules import Rules


class Claim(Strict):
    """One checkable statement."""

    id: str
    """name of the claim, unique among all studies"""
    says: str
    """the statement, in words"""
    published: str = ""
    """numbers that the study gives for the statement"""
    note: str = ""
    """what the study leaves unstated, or where it contradicts itself"""
    tests: list[Question] = []
    """questions to the measurements of this project that decide the claim, one for each part of it
    or for each cell in which it should hold"""
    primary: list[Question] = []
    """questions that take the place of `tests` from version 2 of the rules on (claims/rules.py); a
    campaign that began under version 1 is judged by `tests`"""
    scenario: str = ""
    """scenario of whose trials the claim is asked, if it is not the study's scenario"""
    not_testable: str = ""
    """why the claim has no tests"""
    ours: str = ""
    """why the study does not make this statement itself; it is then tested, and not counted among
    the study's"""
    circular: str = ""
    """why the answer follows from how the network was chosen; the claim is then not counted"""
    repeats: str = ""
    """id of the claim that has the same effect on the same trials; the effect is counted there"""
    recomputed: list[str] = []
    """quantities of data/published/<study>-recomputed.json, shown beside the published numbers"""
    arithmetic: list[Arithmetic] = []
    """numbers that follow from the printed ones alone"""

    @property
    def uncounted(self) -> str:
        """Why the claim is not counted among the study's findings; empty if it is."""
        if self.ours:
            return f"not a statement of the study: {self.ours}"
        if self.circular:
            return f"circular: {self.circular}"
        return f"the same effect as {self.repeats}" if self.repeats else ""

    @model_validator(mode="after")
    def _formulas_give_numbers(self) -> Self:
        for one in self.arithmetic:
            try:
                compute(one.formula, one.values)
            except ValueError as error:
                raise ValueError(f"claim {self.id}: {error}") from None
        for tests in (self.tests, self.primary):
            for place, test in enumerate(tests):
                self.of_study(test, place)
        return self

    def asked(self, rules: Rules) -> list[Question]:
        """The questions that decide the claim under `rules`."""
        return self.primary if rules.primary and self.primary else self.tests

    def of_study(self, test: Question, place: int) -> float:
        """The number that the study prints for the quantity of `test`, which has place `place`
        among its claim's tests; NaN if there is none."""
        formula = test.study
        values = [one.values for one in self.arithmetic[: place + 1]] or [{}]
        try:
            return math.nan if formula is None else compute(formula, values[-1])
        except ValueError as error:
            raise ValueError(f"claim {self.id}: study: {error}") from None

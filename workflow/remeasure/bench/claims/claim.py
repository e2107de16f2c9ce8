"""Statements of a study, as questions to the trials of this project; and numbers computed from the
study's printed ones: does it agree with itself?"""

import ast
import math
import operator
from collections.abc import Callable
from statistics import fmean
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from remeasure.bench.base.config import Strict
from remeasure.bench.claims.questions import Expect, Question, bounds
from remeasure.bench.claims.rules import Rules

PrintedNumber = Annotated[float, Field(ge=0, le=1e12)]
PrintedNumbers = PrintedNumber | list[PrintedNumber]
OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "abs": lambda numbers: abs(*numbers),
    "min": min,
    "max": max,
    "mean": fmean,
}


class Arithmetic(Strict):
    """One number, computed from numbers that the study printed. It is compared with the number that
    the study printed for it, or with the study's words on it. If the study gives neither, the
    number is computed for the record."""

    says: str
    """the computed quantity, in words"""
    values: dict[str, PrintedNumbers]
    """name -> printed number or list of numbers"""
    formula: str
    """formula over names of `values`, with numbers, + - * / ( ), abs, min, max and mean; the last
    three accept lists too"""
    printed: float | None = None
    """the number that the study prints for the result"""
    tolerance: float = Field(0, ge=0)
    """largest difference that rounding of the printed values and result can explain"""
    expect: Expect | None = None
    """bounds on the number that follow from the study's words: '> 1', '0.9 to 1.1'"""

    @model_validator(mode="after")
    def _one_thing_beside_it(self) -> Self:
        if self.printed is not None and self.expect is not None:
            raise ValueError("printed and expect: found both, expected one of them or none")
        return self

    @property
    def recomputed(self) -> float:
        """The computed number. Raises ValueError if `formula` is wrong."""
        return compute(self.formula, self.values)

    @property
    def verdict(self) -> Literal["reproduces", "does not reproduce", ""]:
        if self.printed is not None:
            # Binary floating point is off by far less than the last digit that anyone prints.
            agrees = abs(self.recomputed - self.printed) <= self.tolerance + 1e-9
        elif self.expect is not None:
            least, most = bounds(self.expect)
            agrees = least < self.recomputed < most
        else:
            return ""
        return "reproduces" if agrees else "does not reproduce"


def compute(formula: str, values: dict[str, PrintedNumbers]) -> float:
    """The value of `formula`. Raises ValueError naming the formula and its fault."""
    try:
        return _number(ast.parse(formula, mode="eval").body, values)
    except SyntaxError:
        wrong = "not a formula"
    except (ValueError, TypeError, ZeroDivisionError) as error:
        wrong = str(error)
    raise ValueError(f"formula {formula!r}: {wrong}")


def _number(node: ast.expr, values: dict[str, PrintedNumbers]) -> float:
    value = _value(node, values)
    if isinstance(value, list):
        raise ValueError(f"{ast.unparse(node)} is a list; its min, max or mean is a number")
    return value


def _value(node: ast.expr, values: dict[str, PrintedNumbers]) -> PrintedNumbers:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.Name(id=name):
            known = ", ".join(values) or "none; name printed numbers in `values` of `arithmetic`"
            raise ValueError(f"{name} is not a value; known: {known}")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, values)
        case ast.BinOp(op=op) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_number(node.left, values), _number(node.right, values))
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FUNCTIONS:
            given = [_value(one, values) for one in node.args]
            return FUNCTIONS[name](
                [number for one in given for number in (one if isinstance(one, list) else [one])]
            )
    raise ValueError(
        f"{ast.unparse(node)} is not allowed; allowed are values, numbers, "
        f"+ - * / ( ) and {', '.join(FUNCTIONS)}"
    )


class Claim(Strict):
    """One checkable statement."""

    id: str
    """name of the claim, unique among all studies"""
    says: str
    """the statement, in words"""
    published: str = ""
    """numbers that the study gives for the statement"""
    note: str = ""
    """facts that the study leaves unstated, or its contradictions"""
    tests: list[Question] = []
    """questions to the measurements of this project that decide the claim, one per part of it or
    per cell in which it should be true"""
    primary: list[Question] = []
    """questions that replace `tests` from version 2 of the rules on (claims/rules.py); a campaign
    that began under version 1 is judged by `tests`"""
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
    """quantities of data/published/<study>-recomputed.json, shown with the published numbers"""
    arithmetic: list[Arithmetic] = []
    """numbers that follow from only the printed ones"""

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

    def with_questions(self, change: Callable[[Question], Question]) -> Self:
        """The claim with each of its questions changed."""
        both = {"tests": self.tests, "primary": self.primary}
        return self.model_copy(update={name: [*map(change, old)] for name, old in both.items()})

    def of_study(self, test: Question, place: int) -> float:
        """The study's printed number for the quantity of `test`, which has place `place` among its
        claim's tests; NaN if there is none."""
        formula = test.study
        values = [one.values for one in self.arithmetic[: place + 1]] or [{}]
        try:
            return math.nan if formula is None else compute(formula, values[-1])
        except ValueError as error:
            raise ValueError(f"claim {self.id}: study: {error}") from None

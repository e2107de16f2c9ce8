"""Quantities of cells, written as data: the questions of claims, tables and figures."""

import math
import re
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from remeasure.bench.base.config import Strict

ChosenLevels = dict[str, str | int | list[str | int]]
"""factor -> a level, several levels, or the name of a group in the study's file"""
EXPECT = re.compile(r"([<>]) (-?[0-9.]+)|(-?[0-9.]+) to (-?[0-9.]+)")
Expect = Annotated[str, Field(pattern=EXPECT.pattern)]
"""bounds as text: '> 1', '< 90', '0.9 to 1.1'"""
RATIOS = ("ratio", "lead", "trail")
"""quantities computed from logarithms, which makes them ratios of geometric means"""
LINES = ("slope", "intercept", "straightness")

Quantity = Literal[
    "level",
    "difference",
    "ratio",
    "lead",
    "trail",
    "excess",
    "slope",
    "intercept",
    "straightness",
    "variation",
]


class Question(Strict):
    """One quantity of the cells chosen by `where` and `of`.

    level: their mean. The mean of a cell is the geometric one, if all values are above 0; here and
        in the following.
    difference: their mean less the mean of the cells chosen by `to`.
    ratio: their mean over the mean of the cells chosen by `to`; geometric means, so that fast cells
        do not weigh more.
    lead, trail: ratio to the largest, smallest among the levels that `among` has in `to`.
    excess: ratio of how far `of` and `to` are above the cells chosen by `base`.
    slope: slope of a straight line through the means, by the numbers that the levels of `over` are.
    intercept: value of that line at 0.
    straightness: largest departure of a level's mean from that line, as a share of the line's rise
        from its lowest to its highest level.
    variation: standard deviation over blocks, in logarithms (0.05 is 5 %), from the blocks' median
        distance from the median of their cell.
    The first five are taken at each level of `over`, or at each cell (`over: cells`), and reduced.
    """

    quantity: Quantity = "level"
    """the quantity computed from the values of cells; see the description of a question"""
    metric: str
    """metric of the probe"""
    probe: str | None = None
    """name of the probe in the scenario; null: any probe with the metric"""
    where: ChosenLevels = {}
    """levels that all cells of the question have"""
    of: ChosenLevels = {}
    """levels of the cells asked about"""
    to: ChosenLevels = {}
    """levels of the cells they are compared with"""
    base: ChosenLevels = {}
    """levels of the cells from which an excess is counted"""
    among: str | None = None
    """factor whose levels a lead or a trail compares with each other"""
    over: str | None = None
    """factor at each of whose levels the quantity is taken; `cells`: at each cell"""
    along: Literal["number", "logarithm"] = "number"
    """the axis in which a line is straight: the number of a level, or its logarithm"""
    within: Literal["mean", "median"] = "mean"
    """estimator of a trial's value from its readings; the median, if one retransmission or one late
    packet would decide the mean"""
    reduce: Literal["mean", "min", "max"] = "mean"
    """how the values at several levels become one number"""
    scale: float = 1
    """factor that converts the estimate to `unit`"""
    unit: str = ""
    """unit of the estimate"""
    study: str | None = None
    """number that the study prints for this quantity, or a formula over the values of the entry at
    the same place (else the last) of the claim's `arithmetic`"""
    size: Expect | None = None
    """size in the study's words, if it prints no number: "> 2" for several times"""
    expect: Expect | None = None
    """bounds that confirm the statement, such as "> 1"; absent if the study gives no direction or
    contradicts itself"""
    matters: float | None = None
    """for a direction (`expect` names only the side of no effect): the smallest effect that
    matters. A factor above 1 for ratios, else an amount above 0 [unit]"""
    because: str = ""
    """why this is the smallest effect that matters, or why these are the bounds"""

    @property
    def neutral(self) -> float:
        """The value that means no effect."""
        return 1.0 if self.quantity in (*RATIOS, "excess") else 0.0

    @property
    def directional(self) -> bool:
        """True if `expect` names a side of no effect, and nothing else."""
        return self.expect in (f"> {self.neutral:g}", f"< {self.neutral:g}")

    @property
    def contrasted(self) -> set[str]:
        """The factors whose levels differ between the two sides of a comparison."""
        differing = {
            factor
            for factor in {**self.of, **self.to}
            if self.to and self.of.get(factor) != self.to.get(factor)
        }
        return {factor for factor in (*differing, self.among) if factor}

    def names(self, factor: str) -> bool:
        """True if the question chooses or compares levels of the factor."""
        return factor in {*self.where, *self.of, *self.to, *self.base, self.over, self.among}

    def compares(self) -> set[str]:
        """The factors by whose levels the question compares cells."""
        by_lines = {self.over} if self.quantity in LINES or self.reduce != "mean" else set()
        return {factor for factor in (*self.contrasted, *by_lines) if factor}

    @model_validator(mode="after")
    def _effects_that_matter(self) -> Self:
        # A notebook's question for its own tables expects nothing.
        if self.expect is None:
            return self
        can_be_a_direction = self.quantity not in ("level", "straightness", "variation")
        if self.directional and can_be_a_direction and self.matters is None:
            raise ValueError(
                f"expect {self.expect!r} is a direction: expected `matters`, the smallest effect "
                f"that matters (a factor above 1 for ratios, else an amount above 0)"
            )
        if self.matters is not None:
            if not self.directional:
                raise ValueError(
                    f"matters: found next to expect {self.expect!r}; only a direction "
                    f"('> {self.neutral:g}' or '< {self.neutral:g}') has a smallest effect"
                )
            if self.matters <= self.neutral:
                raise ValueError(f"matters: found {self.matters}, expected above {self.neutral:g}")
        if not self.because:
            raise ValueError(
                f"expect {self.expect!r}: expected `because`, the reason of its bounds"
            )
        return self


def bounds(expect: str) -> tuple[float, float]:
    """The lower and upper bound in a text like '> 1' or '0.9 to 1.1'; either may be infinite."""
    match = EXPECT.fullmatch(expect)
    if match is None:
        raise ValueError(f"found {expect!r}, expected bounds such as '> 1' or '0.9 to 1.1'")
    sign, bound, least, most = match.groups()
    if sign == ">":
        return float(bound), math.inf
    return (-math.inf, float(bound)) if sign == "<" else (float(least), float(most))

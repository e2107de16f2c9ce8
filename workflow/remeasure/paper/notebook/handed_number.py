"""A number or text that a notebook hands over, as numbers.json has it."""

from collections.abc import Mapping
from typing import TypedDict


class Facts(TypedDict, total=False):
    """What is known of a number beside its text."""

    value: float | None
    unit: str
    """as LaTeX"""
    low: float | None
    high: float | None
    """ends of the interval of an estimate; None for an interval without end"""
    words: bool
    """True for a text"""


class Number(Facts):
    """What is printed, and what it is from (notebook.results.Results.number)."""

    text: str
    source: str
    """what was counted, whose version it is, or how it was computed, in words"""


Numbers = Mapping[str, Number]
"""macro -> number"""

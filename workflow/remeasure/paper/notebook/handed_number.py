"""A number or text in numbers.json."""

from collections.abc import Mapping
from typing import TypedDict


class NumberFacts(TypedDict, total=False):
    """Facts about a number, without its text."""

    value: float | None
    unit: str
    """as LaTeX"""
    low: float | None
    high: float | None
    """ends of the interval of an estimate; None for an interval without end"""
    words: bool
    """True for a text"""


class HandedNumber(NumberFacts):
    """A printed text and its source (notebook.results.Results.number)."""

    text: str
    source: str
    """the counted thing, the program of a version, or the computation, in words"""


HandedNumbers = Mapping[str, HandedNumber]
"""macro -> number"""

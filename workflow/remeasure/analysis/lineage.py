"""The trials from which an estimate comes, remembered until a notebook hands the estimate over.

Between an estimate and what a reader sees, a notebook makes its own texts, marks and sums. So an
estimate is found again by its value, and a text by the value from which it was made. If two
estimates have the same value (a share of exactly 1), both are given; whether they have it must not
depend on the last digits, which differ between machines (remeasure.digits).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from remeasure.analysis.estimates import Estimate
from remeasure.digits import rounded


@dataclass(frozen=True)
class Origin:
    """An estimate, and the cells from which it comes."""

    says: str
    """the quantity, in words"""
    metric: str
    cells: tuple[tuple[tuple[str, str], ...], ...]
    """for each cell: factor -> level, with `probe` as one of the factors"""
    blocks: tuple[int, ...]
    estimate: Estimate
    virtual: bool = False
    """True if the trials were made in virtual time"""

    def as_dict(self) -> dict:
        return {
            "says": self.says,
            "metric": self.metric,
            "cells": [dict(c) for c in self.cells],
            "blocks": list(self.blocks),
            "value": self.estimate.value,
            "low": self.estimate.low,
            "high": self.estimate.high,
            "n": self.estimate.n,
            **({"virtual": True} if self.virtual else {}),
        }


_by_value: dict[object, dict[Origin, None]] = {}
_by_text: dict[str, dict[float, None]] = {}


def remember(
    estimate: Estimate,
    says: str,
    metric: str,
    cells: Iterable[dict],
    blocks: Iterable[int],
    virtual: bool = False,
) -> Estimate:
    """Remember the cells and blocks of `estimate`, and return it. A cell is factor -> level."""
    levels = tuple(tuple((factor, str(level)) for factor, level in cell.items()) for cell in cells)
    origin = Origin(says, metric, levels, tuple(map(int, blocks)), estimate, virtual)
    for value in (estimate.value, estimate.low, estimate.high):
        if math.isfinite(value):
            _by_value.setdefault(rounded(value), {})[origin] = None
    return estimate


def printed(text: str, value: float) -> str:
    """Remember that `text` is `value` rounded, and return `text`."""
    _by_text.setdefault(text, {})[value] = None
    return text


def origins_of(value: float) -> list[Origin]:
    """Estimates that have this value, or one end of their interval there."""
    return list(_by_value.get(rounded(value), {}))


def origins_of_text(text: str) -> list[Origin]:
    """Estimates from which the numbers in `text` were printed, in order of appearance; all of them,
    if several values were printed as the same text."""
    whole = [text] if text in _by_text else [part for part in _parts(text) if part in _by_text]
    return list(
        dict.fromkeys(
            origin for part in whole for value in _by_text[part] for origin in origins_of(value)
        )
    )


def _parts(text: str) -> Iterable[str]:
    """Yield the parts of a text that may be a number, with its interval ('1.2 [1.1, 1.3]') or
    without."""
    words = text.replace(";", " ").split()
    for i, word in enumerate(words):
        yield " ".join(words[i : i + 3])
        yield word


def forget_all() -> None:
    """Forget everything that was remembered. For tests, where one process makes the estimates of
    several notebooks."""
    _by_value.clear()
    _by_text.clear()

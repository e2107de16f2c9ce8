"""The source of a number. The origin travels with the number, from estimates into texts. Looking
origins up by value would not work: a count of 6 would come from every estimate of 6."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

CellKey = tuple[tuple[str, str], ...]
"""the levels of one cell: (factor, level) of each factor, with `probe` as a factor"""
SCENARIO, CAMPAIGN = "scenario", "campaign"
"""attributes of summaries (pandas.DataFrame.attrs) from another scenario than the notebook's, or
from another campaign than the first of their kind"""


@dataclass(frozen=True)
class Origin:
    """The meaning and source of an estimate: observations of cells, or other estimates."""

    says: str
    """the quantity, in words"""
    value: float
    low: float
    high: float
    n: int
    """number of blocks"""
    metric: str = field(default="", repr=False)
    unit: str = field(default="", repr=False)
    """unit of a level; empty without one, if scaled, and for a comparison"""
    cells: tuple[CellKey, ...] = field(default=(), repr=False)
    blocks: tuple[int, ...] = field(default=(), repr=False)
    virtual: bool = False
    """True if the trials were made in virtual time"""
    scenario: str = ""
    """the scenario of the trials, if it is not the notebook's own"""
    campaign: str = ""
    """the campaign of the trials, if it is not the first of its kind"""
    file: str = ""
    """the file that the estimate is from, if it is not from trials"""
    made_from: tuple["Origin", ...] = field(default=(), repr=False)
    """the estimates from which this one was computed"""

    def as_dict(self) -> dict[str, Any]:
        """The origin as an entry of lineage.json, without the estimates of `made_from`."""
        own = {name: getattr(self, name) for name in ("says", "value", "low", "high", "n")}
        if not self.made_from and not self.file:
            own |= {
                "metric": self.metric,
                "unit": self.unit,
                "cells": [dict(cell) for cell in self.cells],
                "blocks": list(self.blocks),
            }
        named = {name: getattr(self, name) for name in ("virtual", SCENARIO, CAMPAIGN, "file")}
        return own | {name: value for name, value in named.items() if value}


def cells_of(rows: Iterable[Mapping[str, Any]]) -> tuple[CellKey, ...]:
    """Cells from rows of factor -> level."""
    return tuple(tuple((factor, str(level)) for factor, level in row.items()) for row in rows)


class Quoted(str):
    """A text made of estimates. Tables of them need dtype=object, or pandas makes plain text of
    them."""

    origins: tuple[Origin, ...]
    """of the estimates that the text prints, in the order in which they occur"""

    def __new__(cls, text: str, origins: Iterable[Origin | None] = ()) -> "Quoted":
        made = super().__new__(cls, text)
        made.origins = tuple(dict.fromkeys(origin for origin in origins if origin is not None))
        return made

    def within(self, form: str) -> "Quoted":
        """The text in place of {} in `form`, with the same origins."""
        return Quoted(form.format(self), self.origins)


def origins_of(text: object) -> tuple[Origin, ...]:
    """The origins of a text; none of one that is not made of estimates."""
    return text.origins if isinstance(text, Quoted) else ()


def joined_text(separator: str, texts: Iterable[str]) -> Quoted:
    """The texts in one, with the origins of all."""
    parts = list(texts)
    return Quoted(separator.join(parts), (one for part in parts for one in origins_of(part)))

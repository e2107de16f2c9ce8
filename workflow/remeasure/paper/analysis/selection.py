"""The values of a metric as a table of blocks and cells, from trial summaries (summaries.py); the
cells of a question, and its contrasts of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from remeasure.bench.claims.questions import LINES, ChosenLevels, Question
from remeasure.paper.analysis.contrasts import Contrasts, contrasts

Groups = Mapping[str, dict[str, Any]]
"""factor -> name of a group -> its levels"""
_NO_FACTOR = ("block", "trial", "metric", "unit", "value")


class MetricValues(NamedTuple):
    values: np.ndarray
    """shape (blocks, cells); each is the mean over the trials of the cell in that block"""
    blocks: np.ndarray
    cells: pd.DataFrame
    """for each cell, its levels: a column for each factor, and for the probe"""
    levels: list[dict[str, str]]
    """for each cell, factor -> level"""
    layout: int
    """the same number for the same `cells`, which are large"""
    unit: str


class Measurements:
    """The values of every metric in `summaries`. Columns of words are read once for all metrics,
    which is faster than a pivot per metric."""

    def __init__(self, summaries: pd.DataFrame):
        self.summaries = summaries
        self._known: dict[tuple[str, str | None], MetricValues] = {}
        self._factors = [column for column in summaries.columns if column not in _NO_FACTOR]
        self._places = summaries.groupby(self._factors, observed=True).ngroup().to_numpy()
        found, first = np.unique(self._places, return_index=True)
        of_each = summaries[self._factors].iloc[first[found >= 0]]
        self._cells = of_each.astype(str).astype(object).reset_index(drop=True)
        self._levels = self._cells.to_dict("records")
        self._values = summaries["value"].to_numpy(dtype=float)
        self._blocks = summaries["block"].to_numpy()
        self._metrics, self._names = pd.factorize(summaries["metric"])

    def of(self, metric: str, probe: str | None = None) -> MetricValues:
        """The values of a metric, of one probe or of all."""
        if (metric, probe) not in self._known:
            self._known[metric, probe] = self._measured(metric, probe)
        return self._known[metric, probe]

    def _measured(self, metric: str, probe: str | None) -> MetricValues:
        rows = self._metrics == self._names.get_indexer([metric])[0]
        # A missing level or value belongs to no cell.
        rows &= (self._metrics >= 0) & (self._places >= 0) & ~np.isnan(self._values)
        if probe:
            rows &= (self.summaries["probe"] == probe).to_numpy(dtype=bool)
        blocks, lines = np.unique(self._blocks[rows], return_inverse=True)
        places, columns = np.unique(self._places[rows], return_inverse=True)
        shape = len(blocks), len(places)
        sums, counts = np.zeros(shape), np.zeros(shape)
        np.add.at(sums, (lines, columns), self._values[rows])
        np.add.at(counts, (lines, columns), 1)
        units = self.summaries["unit"].to_numpy()[rows]
        levels = [self._levels[place] for place in places]
        known = (tuple(self._factors), tuple(tuple(cell.values()) for cell in levels))
        return MetricValues(
            np.divide(sums, counts, where=counts > 0, out=np.full(shape, np.nan)),
            blocks,
            self._cells.iloc[places].reset_index(drop=True),
            levels,
            _layouts.setdefault(known, len(_layouts)),
            str(units[0]) if len(units) else "",
        )


_layouts: dict[tuple[Any, ...], int] = {}
"""factors and cells -> `MetricValues.layout`"""


Selection = tuple[np.ndarray, Contrasts | None, pd.DataFrame]


def select(test: Question, cells: pd.DataFrame, groups: Groups) -> Selection:
    """The cells (a row each) of a question; its contrasts of them, None if a choice matches no
    cell, or no level has both sides of a comparison; and the chosen cells."""
    where = chosen_cells(cells, test.where, groups)
    masks = [
        where & chosen_cells(cells, levels, groups)
        for levels in (test.of, test.to or test.of, test.base or test.of)
    ]
    used = np.any(masks, axis=0)
    chosen = cells[used].reset_index(drop=True)
    if not all(mask.any() for mask in masks):
        return used, None, chosen
    asked = contrasts(test, chosen, *(mask[used] for mask in masks))
    asked = replace(asked, asked=_asked_for(test, chosen, masks[0][used], masks[1][used], groups))
    return used, asked if asked.labels else None, chosen


def _asked_for(
    test: Question, cells: pd.DataFrame, of: np.ndarray, to: np.ndarray, groups: Groups
) -> int:
    """The number of contrasts of an extreme: levels in the question, or levels of some cell; 0 if
    it is no extreme over levels."""
    rivals = {test.among: {**test.where, **test.to}} if test.among else {}
    levels = {test.over: {**test.to, **test.where, **test.of}} if test.over != "cells" else {}
    if test.quantity in LINES or (test.reduce == "mean" and not rivals):
        return 0
    wanted = 1
    for factor, choice in (*levels.items(), *rivals.items()):
        if factor:
            there = cells[factor][to if factor == test.among else of | to].nunique()
            wanted *= len(_levels(choice[factor], factor, groups)) if factor in choice else there
    return wanted


_selections: dict[tuple[Any, ...], Selection] = {}
"""results of `selected`: the same questions return under every choice of analysis"""


def selected(test: Question, measured: MetricValues, groups: Groups) -> Selection:
    """The cached result of `select`."""
    levels = (test.where, test.of, test.to, test.base)
    asked = (test.quantity, test.among, test.over, test.reduce, test.along)
    named = tuple(
        (factor, str(groups.get(factor, {}).get(level, level) if isinstance(level, str) else level))
        for part in levels
        for factor, level in (*part.items(), ("", ""))
    )
    key = (measured.layout, asked, named)
    if key not in _selections:
        _selections[key] = select(test, measured.cells, groups)
    return _selections[key]


def chosen_cells(cells: pd.DataFrame, levels: ChosenLevels, groups: Groups) -> np.ndarray:
    mask = np.ones(len(cells), dtype=bool)
    for factor, wanted in levels.items():
        if factor not in cells:
            raise ValueError(f"no factor {factor!r}; known: {', '.join(cells)}")
        chosen = _levels(wanted, factor, groups)
        mask &= np.array([level in chosen for level in cells[factor]], dtype=bool)
    return mask


def _levels(wanted: Any, factor: str, groups: Groups) -> set[str]:
    """The levels that a level, a list of levels or the name of a group chooses."""
    wanted = groups.get(factor, {}).get(wanted, wanted) if isinstance(wanted, str) else wanted
    return {str(level) for level in (wanted if isinstance(wanted, list) else [wanted])}

"""Which measured cells a question is about, and its contrasts of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.claims.questions import LINES, Levels, Question
from remeasure.paper.analysis.contrasts import Contrasts, contrasts
from remeasure.paper.analysis.measured import Measured

Selection = tuple[np.ndarray, Contrasts | None, pd.DataFrame]


def select(test: Question, cells: pd.DataFrame, groups: Mapping[str, dict[str, Any]]) -> Selection:
    """Which of the cells (a row each) a question is about; its contrasts of the chosen cells, None
    if a choice matches no cell, or no level has both sides of a comparison; and these cells."""
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
    test: Question,
    cells: pd.DataFrame,
    of: np.ndarray,
    to: np.ndarray,
    groups: Mapping[str, dict[str, Any]],
) -> int:
    """The number of contrasts of an extreme: levels that the question names, or that some cell
    has; 0 if it is no extreme over levels."""
    rivals = {test.among: {**test.where, **test.to}} if test.among else {}
    levels = {test.over: {**test.to, **test.where, **test.of}} if test.over != "cells" else {}
    if test.quantity in LINES or (test.reduce == "mean" and not rivals):
        return 0
    wanted = 1
    for factor, choice in (*levels.items(), *rivals.items()):
        if factor:
            there = cells[factor][to if factor == test.among else of | to].nunique()
            n = len(_levels(choice[factor], factor, groups)) if factor in choice else there
            wanted *= n * (n - 1) if test.reduce == "range" and factor == test.over else n
    return wanted


_selections: dict[tuple[Any, ...], Selection] = {}
"""what `selected` found: the same questions are asked again under every choice of analysis"""


def selected(test: Question, measured: Measured, groups: Mapping[str, dict[str, Any]]) -> Selection:
    """What `select` returns, which is kept."""
    levels = (test.where, test.of, test.to, test.base)
    asked = (test.quantity, test.among, test.over, test.reduce, test.along, str(test.between))
    named = tuple(
        (factor, str(groups.get(factor, {}).get(level, level) if isinstance(level, str) else level))
        for part in levels
        for factor, level in (*part.items(), ("", ""))
    )
    key = (measured.layout, asked, named)
    if key not in _selections:
        _selections[key] = select(test, measured.cells, groups)
    return _selections[key]


def chosen_cells(
    cells: pd.DataFrame, levels: Levels, groups: Mapping[str, dict[str, Any]]
) -> np.ndarray:
    mask = np.ones(len(cells), dtype=bool)
    for factor, wanted in levels.items():
        if factor not in cells:
            raise ValueError(f"no factor {factor!r}; known: {', '.join(cells)}")
        chosen = _levels(wanted, factor, groups)
        mask &= np.array([level in chosen for level in cells[factor]], dtype=bool)
    return mask


def _levels(wanted: Any, factor: str, groups: Mapping[str, dict[str, Any]]) -> set[str]:
    """The levels that a level, a list of levels or the name of a group chooses."""
    wanted = groups.get(factor, {}).get(wanted, wanted) if isinstance(wanted, str) else wanted
    return {str(level) for level in (wanted if isinstance(wanted, list) else [wanted])}

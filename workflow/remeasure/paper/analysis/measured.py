"""The values of a metric as a table of blocks and cells, from trial summaries (summaries.py)."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

_NO_FACTOR = ("block", "trial", "metric", "unit", "value")


class Measured(NamedTuple):
    """The values of one metric."""

    values: np.ndarray
    """shape (blocks, cells); each is the mean over the trials of the cell in that block"""
    blocks: np.ndarray
    cells: pd.DataFrame
    """for each cell, its levels: a column for each factor, and for the probe"""
    levels: list[dict[str, str]]
    """the same: for each cell, factor -> level"""
    layout: int
    """the same number for the same `cells`, which are large"""
    unit: str


class Measurements:
    """The values of every metric in `summaries`.

    pandas could make a pivot for each metric. Here columns of words are read once for all metrics,
    which is faster.
    """

    def __init__(self, summaries: pd.DataFrame):
        self.summaries = summaries
        self._known: dict[tuple[str, str | None], Measured] = {}
        self._factors = [column for column in summaries.columns if column not in _NO_FACTOR]
        self._places = summaries.groupby(self._factors, observed=True).ngroup().to_numpy()
        found, first = np.unique(self._places, return_index=True)
        of_each = summaries[self._factors].iloc[first[found >= 0]]
        self._cells = of_each.astype(str).astype(object).reset_index(drop=True)
        self._levels = self._cells.to_dict("records")
        self._values = summaries["value"].to_numpy(dtype=float)
        self._blocks = summaries["block"].to_numpy()
        self._metrics, self._names = pd.factorize(summaries["metric"])

    def of(self, metric: str, probe: str | None = None) -> Measured:
        """The values of a metric, of one probe or of all."""
        if (metric, probe) not in self._known:
            self._known[metric, probe] = self._measured(metric, probe)
        return self._known[metric, probe]

    def _measured(self, metric: str, probe: str | None) -> Measured:
        rows = self._metrics == self._names.get_indexer([metric])[0]
        # A level that is missing, or a value, is of no cell.
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
        return Measured(
            np.divide(sums, counts, where=counts > 0, out=np.full(shape, np.nan)),
            blocks,
            self._cells.iloc[places].reset_index(drop=True),
            levels,
            _layouts.setdefault(known, len(_layouts)),
            str(units[0]) if len(units) else "",
        )


_layouts: dict[tuple[Any, ...], int] = {}
"""factors and cells -> `Measured.layout`"""

"""Contrasts of cells, estimated from whole blocks.

A table of values has one row per block and one column per cell. A contrast is a weighted sum of
cells. Each block gives one value of the contrast, and Student's interval is over these values. The
interval therefore covers effects that cells of a block share, and the spread of each kind of cell,
without any assumption on either. One machine measured all blocks (campaign/machine_kind.py).

A block that lacks a cell (a rejected trial) is kept. The cell is filled in from the additive model
(block + cell), fitted by least squares. The block's weight is the share of the contrast that was
measured in it: 0 if one side of the comparison is missing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr as student_share
from scipy.special import stdtrit as student_quantile

from remeasure.bench.base.names import VIRTUAL
from remeasure.paper.analysis.lineage import CAMPAIGN, SCENARIO, Origin, cells_of

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval, from `n` blocks, and where it comes from."""

    value: float
    low: float
    high: float
    n: int
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of_row(cls, row: Any) -> "Estimate":
        """The estimate in a row of a table with the columns of `columns`."""
        return cls(row.value, row.low, row.high, row.n, row.origin)

    def columns(self) -> dict[str, object]:
        """The estimate as columns of a table: value, low, high, n, origin."""
        return {name: getattr(self, name) for name in ("value", "low", "high", "n", "origin")}

    def measured(
        self,
        says: str,
        metric: str,
        cells: Iterable[Mapping[str, Any]],
        blocks: Iterable[int],
        where: Mapping[Any, Any] | None = None,
        unit: str = "",
    ) -> "Estimate":
        """The estimate with its origin: the quantity in words, metric, cells (factor -> level),
        blocks and unit. `where`: attributes of the summaries."""
        attributes = where or {}
        return self._from(
            says,
            metric=metric,
            unit=unit,
            cells=cells_of(cells),
            blocks=tuple(map(int, blocks)),
            virtual=bool(attributes.get(VIRTUAL)),
            scenario=attributes.get(SCENARIO, ""),
            campaign=attributes.get(CAMPAIGN, ""),
        )

    def computed(self, says: str, made_from: Iterable["Estimate"]) -> "Estimate":
        """The estimate with its origin: its computation in words and the estimates it is made from;
        without an origin if none of them has one."""
        parts = dict.fromkeys(one.origin for one in made_from if one.origin is not None)
        return self._from(says, made_from=tuple(parts)) if parts else self

    def captured(self, says: str, file: str) -> "Estimate":
        """The estimate with its origin: the quantity in words, and the file that it is from."""
        return self._from(says, file=file)

    def _from(self, says: str, **fields: Any) -> "Estimate":
        origin = Origin(says, self.value, self.low, self.high, self.n, **fields)
        return replace(self, origin=origin)


NOTHING = Estimate(np.nan, np.nan, np.nan, 0)


@dataclass(frozen=True)
class Estimates:
    """Values of k contrasts, with standard errors and degrees of freedom; arrays of shape (..., k),
    where leading axes are campaigns of a simulation."""

    value: np.ndarray
    error: np.ndarray
    df: np.ndarray

    def p_above(self, bound: float) -> np.ndarray:
        """One-sided p of each contrast: the chance of so high a value if the truth were `bound`.
        NaN without an interval."""
        return student_share(self.df, -self.distance(bound))

    def p_below(self, bound: float) -> np.ndarray:
        """One-sided p of each contrast, for so low a value."""
        return student_share(self.df, self.distance(bound))

    def distance(self, bound: float) -> np.ndarray:
        """Distance of each contrast from a bound [standard errors]."""
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (self.value - bound) / self.error
        # With no spread at all the value is certain; at the bound itself it shows nothing.
        return np.where((self.error == 0) & (self.value == bound), 0.0, distance)

    def estimate(self, n: int, logarithms: bool = False) -> Estimate:
        """The first contrast with its interval, from `n` blocks; of `logarithms`, their powers."""
        back = np.exp if logarithms else np.asarray
        value, low, high = (float(back(one[0])) for one in (self.value, *self.interval()))
        return Estimate(value, low, high, n)

    def interval(self, together: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends. The intervals of `together` contrasts all include the truth in 95 %
        of campaigns (Sidak's correction)."""
        df, which = np.unique(self.df, return_inverse=True)  # there are few contrasts, or one
        quantiles = student_quantile(df, 1 - beyond(together))
        half = quantiles[which].reshape(self.df.shape) * self.error
        return self.value - half, self.value + half


def beyond(together: int) -> float:
    """Probability on either side of each of so many simultaneous intervals (Sidak)."""
    return (1 - LEVEL ** (1 / together)) / 2


def contrast_estimates(blocks: np.ndarray, weights: np.ndarray) -> Estimates:
    """Estimate contrasts from values of shape (..., blocks, cells); `weights` has the shape (cells,
    contrasts). NaN marks a missing cell, and is allowed without leading axes. Fewer than two blocks
    have no standard error (NaN)."""
    if blocks.ndim == 2 and np.isnan(blocks).any():
        return _with_holes(blocks, weights)
    n = blocks.shape[-2]
    each = blocks @ weights
    value = each.mean(axis=-2)
    if n < 2:
        return Estimates(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
    error = each.std(axis=-2, ddof=1) / np.sqrt(n)
    # Rounding errors of equal values are no spread.
    error = np.where(error < 1e-12 * np.abs(blocks).max(initial=1e-300), 0.0, error)
    return Estimates(value, error, np.full_like(value, n - 1))


def blocks_behind(blocks: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Share of each contrast that each block measured, 0 to 1, of shape (blocks, contrasts): the
    smaller of its positive and its negative side."""
    there = np.isfinite(blocks).astype(float)
    shares = []
    for side in (weights.clip(min=0), -weights.clip(max=0)):
        total = side.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares.append(np.where(total > 0, there @ side / total, 1.0))
    return np.minimum(*shares)


def _with_holes(blocks: np.ndarray, weights: np.ndarray) -> Estimates:
    shares = blocks_behind(blocks, weights)
    each = filled(blocks) @ weights
    n = shares.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(shares > 0, each, 0.0)
        value = np.where(n > 0, (shares * each).sum(axis=0) / n, np.nan)
        squares = (shares * (each - value) ** 2).sum(axis=0)
        error = np.where(n > 1, np.sqrt(squares / (n - 1) / n), np.nan)
    return Estimates(value, error, np.where(n > 1, n - 1, np.nan))


def filled(blocks: np.ndarray) -> np.ndarray:
    """The table with its holes filled by the additive model. A block without any value has no share
    in any contrast, whatever fills it."""
    there = np.isfinite(blocks)
    if there.all():
        return blocks
    rows, columns = np.nonzero(there)
    design = np.zeros((len(rows), sum(blocks.shape)))
    design[np.arange(len(rows)), rows] = 1
    design[np.arange(len(rows)), blocks.shape[0] + columns] = 1
    fitted = np.linalg.lstsq(design, blocks[there], rcond=None)[0]
    model = fitted[: blocks.shape[0], None] + fitted[None, blocks.shape[0] :]
    return np.where(there, blocks, model)


def geometric(logarithms: np.ndarray) -> np.ndarray:
    """Values whose mean over blocks is the geometric mean of a cell, with its error (by the delta
    method). One slow trial moves it less than an arithmetic mean. `logarithms` has the shape (...,
    blocks, cells)."""
    mean = np.nanmean(logarithms, axis=-2, keepdims=True)
    return np.exp(mean) * (1 + logarithms - mean)


def is_geometric(values: np.ndarray, unit: str) -> bool:
    """True if the mean of these values is a geometric one: rates, times and costs, whose spread is
    in proportion to them. False for shares, other pure numbers, metrics with values of 0 or below,
    and no values."""
    known = values[~np.isnan(values)]
    return unit not in ("%", "points", "") and known.size > 0 and bool(known.min() > 0)


def mean_estimate(values: np.ndarray, logarithms: bool = False) -> Estimate:
    """The mean of one value per block, or their geometric mean. `values` has the shape (blocks,);
    NaN marks a missing value."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    if not len(values):
        return NOTHING
    on_scale = (np.log(values) if logarithms else values)[:, None]
    found = contrast_estimates(on_scale, np.ones((1, 1)))
    return found.estimate(len(values), logarithms)


def cell_estimates(summaries: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    """One row per cell, probe and metric. Columns: the factors, probe, metric, unit; value, low,
    high [unit], n [blocks], origin (Estimate.columns). The value is the geometric mean over blocks;
    the arithmetic mean for shares and values of 0 or below. The interval is Student's 95 %, on the
    same scale."""
    names, rows = [*factors, "probe", "metric", "unit"], []
    all_values, all_blocks = summaries["value"].to_numpy(), summaries["block"].to_numpy()
    for keys, places in sorted(summaries.groupby(names, observed=True).indices.items()):
        values = all_values[places]
        row = dict(zip(names, keys, strict=True))
        blocks = all_blocks[places]
        geometric = is_geometric(values, row["unit"])
        estimate = mean_estimate(values, geometric)
        cell = {factor: level for factor, level in row.items() if factor not in ("metric", "unit")}
        found = estimate.measured(f"mean {row['metric']}", row["metric"], [cell], blocks)
        rows.append(row | found.columns())
    return pd.DataFrame(rows)

"""Measured noise: differences of trials of one cell, to be drawn from again.

The logarithm of a trial's value is taken as the sum of its cell's mean, the common effect of its
block, and a residual; for a metric that can be 0, the value itself. Cells differ in how much they
vary (a small payload more than a large one), so a residual is drawn from the residuals of cells
that are *alike*, and a simulated campaign has quiet and restless cells like the real one. One pool
of all cells would have longer tails than any cell. Residuals divided by the standard deviation of
their own cell would have none: of five values none can lie further than 1.8 standard deviations
off.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

FEWEST_CELLS = 6
"""fewest cells from whose mean the effect of a block can be told; else it stays in the residuals"""
_NO_FACTORS = ("block", "trial", "probe", "metric", "unit", "value")


@dataclass(frozen=True)
class Noise:
    """The differences of trials."""

    unit: str
    """unit of the metric"""
    logarithmic: bool
    """True if trials differ by factors, whose logarithms are below; else by amounts"""
    cells: pd.DataFrame
    """one row for each cell, one column for each factor, as text"""
    levels: np.ndarray
    """measured mean of each cell, the geometric one of factors [unit]"""
    pools: list[np.ndarray]
    """residuals of cells that are alike"""
    pool_of: np.ndarray
    """for each cell, the place of its pool"""
    of_block: np.ndarray
    """effects of blocks; a single 0 if they are in the residuals"""

    def only(self, chosen: np.ndarray) -> "Noise":
        """The noise of only some cells."""
        return replace(
            self,
            cells=self.cells[chosen].reset_index(drop=True),
            levels=self.levels[chosen],
            pool_of=self.pool_of[chosen],
        )

    def draw(self, campaigns: int, blocks: int, random: np.random.Generator) -> np.ndarray:
        """Noise of shape (campaigns, blocks, cells)."""
        drawn = np.empty((campaigns, blocks, len(self.cells)))
        for place in set(self.pool_of):
            here = np.flatnonzero(self.pool_of == place)
            drawn[..., here] = random.choice(self.pools[place], (campaigns, blocks, len(here)))
        return drawn + random.choice(self.of_block, (campaigns, blocks, 1))

    def everything(self, cell: int) -> np.ndarray:
        """All noise that can be drawn for a cell; each is equally likely."""
        return np.add.outer(self.pools[self.pool_of[cell]], self.of_block).ravel()

    def around(self, levels: np.ndarray | float, drawn: np.ndarray) -> np.ndarray:
        """Values of trials [unit]."""
        return levels * np.exp(drawn) if self.logarithmic else levels + drawn


def measured_noise(
    summaries: pd.DataFrame, probe: str, metric: str, where: dict[str, list[str]], alike: list[str]
) -> Noise:
    """The noise of a metric in trial summaries (columns: summaries.py). `where` chooses cells:
    factor -> levels. Cells with the same levels of the factors `alike` share a pool; without these
    factors there is one pool. Cells that lack more than a block are left out."""
    table = summaries[(summaries["probe"] == probe) & (summaries["metric"] == metric)]
    for factor, levels in where.items():
        table = table[table[factor].isin(levels)]
    factors = [column for column in table.columns if column not in _NO_FACTORS]
    wide = table.pivot_table(index="block", columns=factors, values="value", observed=True)
    wide = wide.loc[:, wide.notna().sum() >= len(wide) - 1]
    values, of_cells = wide.to_numpy(), wide.columns.to_frame(index=False).astype(str)
    logarithmic = not (values <= 0).any()
    values = np.log(values) if logarithmic else values
    middle = np.nanmean(values, axis=0)
    residuals, of_block = _residuals(values, middle)
    names = of_cells[alike].agg(" ".join, axis=1) if alike else pd.Series("", of_cells.index)
    pool_of, found = pd.factorize(names)
    pools = [residuals[:, pool_of == place].ravel() for place in range(len(found))]
    pools = [pool[np.isfinite(pool)] for pool in pools]
    return Noise(
        table["unit"].iloc[0],
        logarithmic,
        of_cells,
        np.exp(middle) if logarithmic else middle,
        [pool - pool.mean() for pool in pools],
        pool_of,
        of_block.ravel(),
    )


def _residuals(values: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rest of `values` (blocks by cells) without the means of cells and of blocks, and the means of
    blocks. A residual from a fitted mean is smaller than one from the truth."""
    n, m = np.isfinite(values).sum(axis=0), values.shape[1]
    residuals = (values - middle) * np.sqrt(n / (n - 1))
    of_block = np.zeros((1, 1))
    if m >= FEWEST_CELLS:
        of_block = np.nanmean(residuals, axis=1, keepdims=True)
        residuals = (residuals - of_block) * np.sqrt(m / (m - 1))
    return residuals, of_block

"""Machines as a random effect: estimates within each machine, combined over machines.

Blocks of a cluster come from several machines, and a comparison can come out differently on each.
Blocks of one machine share what is peculiar to it, so pooled blocks are fewer independent numbers
than they look, and Student's interval over all of them is too narrow. Each machine gives one
estimate instead. Estimates differ by the spread of blocks within machines, and by what machines do
differently; the second is estimated by Paule and Mandel (1982). The interval of the weighted mean
is by Hartung and Knapp (2001) and by Sidik and Jonkman (2002): Student's, with one degree of
freedom less than there are machines.

Blocks are taken to vary equally within all machines: their variance is pooled. Why not the variance
of each machine's own blocks: from two to five blocks it is so uncertain that 95 % intervals hold
the truth in about 90 % of campaigns (tests/analysis/test_machine_effect.py). In this way a machine
with a single block has a variance, too. With two machines there is one degree of freedom, and an
interval reaches 12.7 standard errors to either side: two machines say little of all others.

Where each machine measured one block, nothing tells machines from blocks. Then blocks are pooled,
and Student's interval over them includes what machines do differently.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

MACHINES = "machines"
"""attribute of summaries (pandas.DataFrame.attrs) that are not of the notebook's own scenario, or
not of the first campaign of their kind: `Machines` of their blocks"""
Machines = Mapping[int, str]
"""block -> the machine that measured it, in words; empty if one machine measured all blocks"""
ONE: Machines = {}


class Combined(NamedTuple):
    """What several machines give together, on the scale of their estimates."""

    value: float
    error: float
    df: float
    tau: float = 0.0
    """standard deviation between machines, beyond what the spread of blocks explains"""
    share: float = 0.0
    """share of the variance between the machines' estimates that is theirs, 0 to 1 (I squared)"""


def labels(machines: Machines, blocks: Iterable[Any]) -> np.ndarray | None:
    """The machine of each block, as `several` gives it."""
    if not machines:
        return None
    return several(np.array([machines.get(int(block), "") for block in blocks], dtype=object))


def several(of_blocks: np.ndarray | None) -> np.ndarray | None:
    """The machines of blocks, one for each block. None where machines cannot be told from blocks:
    one machine measured all blocks, or each machine one."""
    if of_blocks is None:
        return None
    count = len(set(of_blocks))
    return of_blocks if 1 < count < len(of_blocks) else None


def rows_of(of_blocks: np.ndarray) -> list[np.ndarray]:
    """For each machine, in the order of their names, the places of its blocks."""
    return [np.flatnonzero(of_blocks == name) for name in sorted(set(of_blocks))]


def lacking(values: np.ndarray, of_blocks: np.ndarray) -> np.ndarray:
    """Which cells a block's machine measured in no block: True or False, in the shape of `values`,
    which is (blocks, cells)."""
    found = np.zeros(values.shape, dtype=bool)
    for rows in rows_of(of_blocks):
        found[rows] = np.isnan(values[rows]).all(axis=0)
    return found


def within_machines(
    values: np.ndarray, of_blocks: np.ndarray | None, change: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Values of shape (blocks, cells), changed cell by cell among the blocks of each machine; among
    all blocks if `of_blocks` is None."""
    if of_blocks is None:
        return change(values)
    changed = np.full(values.shape, np.nan)
    for rows in rows_of(of_blocks):
        there = np.ix_(rows, np.flatnonzero(np.isfinite(values[rows]).any(axis=0)))
        changed[there] = change(values[there])
    return changed


def machine_means(values: np.ndarray, of_blocks: np.ndarray) -> np.ndarray:
    """Mean of each cell over the blocks of each machine, of shape (machines, cells). A machine that
    lacks a cell is left out."""
    found = []
    for rows in rows_of(of_blocks):
        counts = np.isfinite(values[rows]).sum(axis=0)
        if counts.all():
            found.append(np.nansum(values[rows], axis=0) / counts)
    return np.array(found).reshape(len(found), values.shape[1])


def lone_blocks(of_blocks: np.ndarray) -> np.ndarray:
    """Which blocks are the only one of their machine: True or False."""
    names, counts = np.unique(of_blocks.astype(str), return_counts=True)
    return np.isin(of_blocks.astype(str), names[counts == 1])


def combine(means: np.ndarray, counts: np.ndarray, squares: np.ndarray) -> Combined:
    """One estimate from the machines' estimates, each of shape (machines,): their means, their
    numbers of blocks, and the sums of squared distances of blocks from the mean. A machine with a
    count of 0 is left out."""
    means, counts, squares = (one[counts > 0] for one in (means, counts, squares))
    df = (counts - 1).clip(min=0).sum()
    within = squares.sum() / df if df else 0.0
    if len(means) < 2:
        alone = float(means[0]) if len(means) else np.nan
        return Combined(alone, np.sqrt(within / counts.sum()) if df else np.nan, df or np.nan)
    # What rounding leaves of equal values is no spread.
    rounding = 1e-12 * np.abs(means).max(initial=1e-300)
    if np.sqrt(within) > rounding:
        value, error, tau, share = _random_effects(means, within / counts)
    else:
        value, tau = means.mean(), means.std(ddof=1)
        error, share = tau / np.sqrt(len(means)), float(tau > rounding)
    error = 0.0 if error < rounding else error
    return Combined(float(value), float(error), len(means) - 1.0, float(tau), float(share))


def _random_effects(means: np.ndarray, variances: np.ndarray) -> tuple[float, float, float, float]:
    """Mean, its standard error, tau and I squared. The library ends its search for tau at an
    absolute distance, so it gets estimates in units of their own error."""
    # Few campaigns have several machines: others start without these 0.1 s.
    from statsmodels.stats.meta_analysis import combine_effects

    middle, unit = means.mean(), np.sqrt(variances.mean())
    with np.errstate(divide="ignore"):  # I squared of estimates that are all equal
        found = combine_effects((means - middle) / unit, variances / unit**2, method_re="pm")
    return (
        middle + unit * found.mean_effect_re,
        unit * found.sd_eff_w_re_hksj,
        unit * np.sqrt(found.tau2),
        max(0.0, found.i2),
    )

"""Campaigns that could be measured: whole blocks drawn again from measured ones.

A trial's value is its cell's mean and a residual (of logarithms, if the metric is above 0 in every
trial). The present estimate is taken for the truth: a simulated campaign decides as the real one
will if the released numbers are right. A residual from the mean of B blocks is too small by the
factor sqrt(1 - 1/B), and is widened by it. Blocks stay whole, with the effects that cells of a
block share. tests/method draws residuals of like cells instead. It asks how often intervals are
right, which must not depend on the few blocks that were measured.

A trial that takes more readings than the measured one (a probe's count, duration and repeats) is
less noisy by the part of the noise that lies within trials, where readings tell it.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.probes import kinds_of
from remeasure.paper.analysis.summaries import Tables
from remeasure.paper.publish.planning.lent_trials import probes_of

_NO_CELL = ("block", "trial", "value")


@dataclass(frozen=True)
class Noise:
    """The values of trials as cells and residuals."""

    cells: pd.DataFrame
    """one row for each cell, probe and metric: the columns of summaries.py but block, trial and
    value"""
    means: np.ndarray
    """mean of each row of `cells`, on its scale"""
    residuals: np.ndarray
    """shape (blocks, rows of `cells`), widened; NaN for a missing trial"""
    logarithmic: np.ndarray
    """for each row of `cells`, whether its scale is logarithms"""

    def draw(self, picked: np.ndarray, given: np.ndarray | None = None) -> pd.DataFrame:
        """Summaries of a campaign whose blocks are the measured ones at the places `picked`. The
        truth is the mean of the measured blocks; with `given`, of the blocks at these places, which
        are drawn with replacement."""
        truth = self.means
        if given is not None:
            with warnings.catch_warnings(action="ignore"):  # a cell without any of these blocks
                truth = truth + np.nanmean(self.residuals[given], axis=0)
        values = truth + self.residuals[picked]
        values = np.where(self.logarithmic, np.exp(values), values.clip(min=self._least))
        found = pd.concat([self.cells] * len(picked), ignore_index=True)
        blocks = np.repeat(np.arange(1, len(picked) + 1), len(self.cells))
        found = found.assign(block=blocks, trial=0, value=values.ravel())
        return found[np.isfinite(found["value"].to_numpy())]

    @cached_property
    def _least(self) -> np.ndarray:
        """0 for amounts that are never below it, else none."""
        lowest = np.nanmin(self.means + self.residuals, axis=0)
        own = [self.cells["probe"], self.cells["metric"]]
        signed = pd.Series(self.means < 0).groupby(own).transform("any") & (lowest < 0)
        return np.where(signed, -np.inf, 0.0)


def measured_noise(
    summaries: pd.DataFrame,
    factor_of: Callable[[pd.DataFrame], np.ndarray],
    alike: list[str],
    traffic: Callable[[pd.DataFrame], np.ndarray],
) -> Noise:
    """The noise in trial summaries. `factor_of`: rows of cells -> the factor of each
    residual (narrower). `alike`: factors without any effect on the rows that `traffic` marks."""
    columns = [column for column in summaries if column not in _NO_CELL]
    table = summaries.pivot_table(
        index="block", columns=columns, values="value", observed=True, dropna=True, sort=False
    )
    cells, values = table.columns.to_frame(index=False), table.to_numpy(float)
    own = [cells["probe"], cells["metric"]]
    lowest = pd.Series(np.nanmin(values, axis=0)).groupby(own).transform("min")
    logarithmic = (lowest > 0).to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(logarithmic, np.log(values), values)
        means, n = np.nanmean(values, axis=0), np.isfinite(values).sum(axis=0)
        residuals = (values - means) * np.where(n > 1, np.sqrt(n / (n - 1)), np.nan)
    if alike:
        rest = [column for column in columns if column not in alike]
        pooled = pd.Series(means).groupby([cells[c] for c in rest], observed=True, dropna=False)
        means = np.where(traffic(cells), pooled.transform("mean"), means)
    return Noise(cells, means, residuals * factor_of(cells), logarithmic)


def narrower(cells: pd.DataFrame, tables: Tables, then: Scenario, now: Scenario) -> np.ndarray:
    """The factor of the noise in each row of `cells`, if trials are measured as in `now` instead
    of `then`, as they were in `tables`: 1 if readings do not tell."""
    amounts = [_amounts(one) for one in (then, now)]
    shares = _within(tables["observations"], tables.factors)
    found = np.ones(len(cells))
    for (probe, metric), rows in cells.groupby(["probe", "metric"]).indices.items():
        more = amounts[1].get(probe, 0) / amounts[0].get(probe, np.inf)
        if more > 1:
            found[rows] = np.sqrt(1 - shares.get((probe, metric), 0.0) * (1 - 1 / more))
    return found


def _amounts(scenario: Scenario) -> dict[str, float]:
    """How much each probe reads in a trial at most, in a unit of its own."""
    found: dict[str, float] = {}
    for name, probe in probes_of(scenario):
        fields: Mapping[str, Any] = dict(probe)
        amount = probe.repeats * fields.get("count", 1) * fields.get("duration", 1)
        found[name] = max(found.get(name, 0.0), float(amount))
    return found


def _within(observations: pd.DataFrame, factors: list[str]) -> dict[tuple[str, str], float]:
    """Probe and metric -> share of the variance of trials' means that lies within trials, 0 to 1;
    without metrics that have one reading a trial. Loss is one reading of many packets."""
    cell = ["probe", "metric", *factors]
    readings = observations.groupby(["block", "trial", *cell], observed=True)["value"]
    trials = readings.agg(["mean", "var", "count"]).reset_index()
    trials["inside"] = trials["var"] / trials["count"]
    trials["total"] = trials.groupby(cell, observed=True)["mean"].transform("var")
    means = trials.groupby(["probe", "metric"], observed=True)[["inside", "total"]].mean()
    shares = {
        key: min(1.0, inside / total)
        for key, inside, total in means.itertuples(name=None)
        if total > 0 and inside > 0
    }
    lost = [key for key in means.index if "loss" in kinds_of(key[1])]
    return shares | dict.fromkeys(lost, 1.0)

"""Intraclass correlations of calibration's blocks."""

import numpy as np
import pandas as pd

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.texts import estimate_text


def shares(summaries: pd.DataFrame, quantities: dict[str, tuple[str, str]]) -> pd.DataFrame:
    """For each of `quantities` (label -> probe and metric) the share of its variance that blocks
    have in common, all text. Each cell, an arm on a network, is a rater of the blocks; cells that
    some block lacks are left out. Of logarithms, by consistency (ICC(C,1) of McGraw and Wong 1996):
    differences between cells do not count."""
    rows = []
    for label, (probe, metric) in quantities.items():
        own = summaries.query("probe == @probe and metric == @metric and value > 0")
        cells = own.pivot_table(
            index="block", columns=["network", "arm"], values="value", observed=True
        ).dropna(axis="columns")
        found = correlation(np.log(cells)).measured(
            f"intraclass correlation of blocks of {metric}",
            metric,
            [{"network": network, "arm": arm, "probe": probe} for network, arm in cells],
            cells.index,
        )
        counts = {"blocks": str(len(cells)), "cells": str(cells.shape[1])}
        rows.append({"quantity": label, **counts, "in common": estimate_text(found)})
    return pd.DataFrame(rows, dtype=object)


def correlation(cells: pd.DataFrame) -> Estimate:
    """The intraclass correlation of the rows of a table (blocks, cells), with its 95 % interval;
    without them for a single block or cell."""
    from pingouin import intraclass_corr  # imports for over a second

    if min(cells.shape) < 2:
        return Estimate(np.nan, np.nan, np.nan, len(cells))
    values = cells.set_axis(range(cells.shape[1]), axis="columns")
    long = values.rename_axis("block").reset_index().melt("block", var_name="cell")
    found = intraclass_corr(long, targets="block", raters="cell", ratings="value")
    row = found.set_index("Type").loc["ICC(C,1)"]
    low, high = row["CI95"]
    return Estimate(float(row["ICC"]), float(low), float(high), len(cells))

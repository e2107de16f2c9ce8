"""Intraclass correlations of calibration's blocks."""

import numpy as np
import pandas as pd
import pytest
from frames import frame

from notebooks.calibration.blocks import correlation, shares


def test_the_correlation_of_shrout_and_fleiss():
    """Their table 2 (1979): six targets, four judges, ICC(3,1) = 0.71."""
    rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = correlation(pd.DataFrame(rows))
    assert found.value == pytest.approx(0.71, abs=0.005) and found.low < 0.71 < found.high


def test_blocks_that_slow_all_cells_are_told_from_noise():
    noise = np.random.default_rng(61)
    of_block = noise.normal(0, 0.2, 8)
    rows = [
        (block, network, arm, np.exp(shift + noise.normal(0, 0.05)))
        for block, shift in enumerate(of_block)
        for network in ("normal", "loss-1")
        for arm in "ab"
        if (block, network, arm) != (3, "loss-1", "b")
    ]
    table = frame("block network arm value", *rows, probe="tcp", metric="goodput")
    alone = table[table["block"] == 0]
    for one, blocks in ((table, "8"), (alone, "1")):
        (row,) = shares(one, {"rate": ("tcp", "goodput")}).to_dict("records")
        assert (row["quantity"], row["blocks"]) == ("rate", blocks)
    (row,) = shares(table, {"rate": ("tcp", "goodput")}).to_dict("records")
    assert row["cells"] == "3" and 0.8 < float(row["in common"].split()[0]) < 1

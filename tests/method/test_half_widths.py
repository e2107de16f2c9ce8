"""The captured table of half widths equals its command's result for the captured trials."""

import numpy as np
import pandas as pd
import pytest
from frames import frame
from half_widths import CELL, TRIALS, WRITTEN, half_widths

STUDENT = 4.3027
"""Student's 97.5 % quantile for two degrees of freedom"""


def test_the_captured_table_is_current():
    read = {"dtype": dict.fromkeys(CELL, str)}
    trials, written = pd.read_csv(TRIALS, **read), pd.read_csv(WRITTEN, **read)
    pd.testing.assert_frame_equal(half_widths(trials), written)


def test_half_a_width_is_that_of_the_ratio_of_twins():
    fixed = dict.fromkeys(["machine", "placement", *CELL], "x")
    twins = [(block, twin) for block in (1, 2, 3) for twin in "ab"]
    rows = [(block, twin, np.exp(block / 100 * (twin == "b"))) for block, twin in twins]
    fixed |= {"trial": 1, "probe": "flow", "metric": "goodput", "unit": "Mbit/s"}
    (row,) = half_widths(frame("block twin value", *rows, **fixed)).itertuples()
    assert row.half == pytest.approx(100 * np.expm1(STUDENT * 0.01 / np.sqrt(3)), rel=1e-4)
    assert (row.variation, row.rounds) == (pytest.approx(100 * np.sqrt(0.01**2 / 2)), 3)

"""The captured table of half widths equals its command's result for the captured trials."""

import pandas as pd
from half_widths import CELL, TRIALS, WRITTEN, half_widths


def test_the_captured_table_is_current():
    read = {"dtype": dict.fromkeys(CELL, str)}
    trials, written = pd.read_csv(TRIALS, **read), pd.read_csv(WRITTEN, **read)
    pd.testing.assert_frame_equal(half_widths(trials), written)

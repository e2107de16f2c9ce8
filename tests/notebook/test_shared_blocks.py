"""Intraclass correlations of calibration's blocks."""

import pandas as pd
import pytest

from notebooks.calibration.blocks import correlation


def test_the_correlation_of_shrout_and_fleiss():
    """Their table 2 (1979): six targets, four judges, ICC(3,1) = 0.71."""
    rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = correlation(pd.DataFrame(rows))
    assert found.value == pytest.approx(0.71, abs=0.005) and found.low < 0.71 < found.high

"""Corrections for many tests, on an example worked by hand."""

import numpy as np
import pandas as pd
import pytest

from remeasure.analysis.corrections import holm


def test_holm_on_a_worked_example():
    # Four p values times 4, 3, 2, 1 in ascending order, made monotone.
    corrected = holm(pd.Series([0.01, 0.04, 0.03, 0.005, np.nan]))
    assert corrected[:4].tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert np.isnan(corrected[4])

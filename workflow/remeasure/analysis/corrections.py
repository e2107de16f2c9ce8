"""Corrections for the number of tests."""

import gc

import numpy as np
import pandas as pd


def holm(p_values: pd.Series) -> pd.Series:
    """p values corrected by Holm's method. NaN stays NaN and does not count as a test."""
    corrected = pd.Series(np.nan, index=p_values.index)
    there = p_values.notna()
    if there.any():
        from statsmodels.stats.multitest import multipletests  # takes half a second to import

        # statsmodels runs the garbage collector here, which is slow with as many objects as a
        # notebook has; frozen objects are skipped.
        gc.freeze()
        corrected[there] = multipletests(p_values[there].to_numpy(), method="holm")[1]
        gc.unfreeze()
    return corrected

"""Corrections for the number of tests."""

import numpy as np
import pandas as pd


def holm(p_values: pd.Series) -> pd.Series:
    """Holm's correction (Scandinavian Journal of Statistics 6, 1979) over the p values that are
    there; the others stay NaN.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none becomes smaller than
    the one before it, or larger than 1.
    """
    ordered = p_values.dropna().sort_values(kind="stable")
    steps = np.arange(len(ordered), 0, -1)
    return (ordered * steps).cummax().clip(upper=1).reindex(p_values.index)

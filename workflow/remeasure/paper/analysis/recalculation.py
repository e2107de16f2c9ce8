"""Numbers that follow from printed ones, computed again."""

import numpy as np
import pandas as pd

from remeasure.bench.claims.claim import Claim


def recalculate(claims: list[Claim]) -> pd.DataFrame:
    """One row for each number that follows from printed ones.

    Columns: id, says, formula, printed (NaN if the study prints none), expect, recomputed, verdict.
    """
    rows = [
        {
            "id": claim.id,
            "says": one.says,
            "formula": one.formula,
            "printed": np.nan if one.printed is None else one.printed,
            "expect": one.expect or "",
            "recomputed": one.recomputed,
            "verdict": one.verdict,
        }
        for claim in claims
        for one in claim.arithmetic
    ]
    return pd.DataFrame(rows)

"""What difference a bench can see, on tables small enough to count by hand."""

import numpy as np
import pandas as pd
import pytest

from remeasure.paper.analysis.coverage.resolution import resolution

STUDENT = 4.3027
"""Student's 97.5 % quantile for two degrees of freedom"""


def summaries(unit: str, a: list[float], b: list[float], metric: str = "m") -> pd.DataFrame:
    """One value for each name and round."""
    return pd.DataFrame(
        [
            {"block": block, "trial": 2 * block + (twin == "b"), "cell": "x", "twin": twin}
            | {"probe": "p", "metric": metric, "unit": unit, "value": value}
            for twin, values in (("a", a), ("b", b))
            for block, value in enumerate(values, 1)
        ]
    )


def test_a_rate_is_compared_as_a_ratio():
    e = np.exp([0.01, 0.02, 0.03])
    (row,) = resolution(summaries("Mbit/s", [1, 1, 1], list(e)), "twin", ("a", "b")).itertuples()
    width = STUDENT * 0.01 / np.sqrt(3)
    assert (row.kind, row.n, row.false) == ("ratio", 3, False)
    assert row.value == pytest.approx(np.exp(0.02))
    assert row.half == pytest.approx(100 * np.expm1(width), rel=1e-4)
    # Trials of a do not vary, those of b by 1 %.
    assert row.variation == pytest.approx(100 * np.sqrt(0.01**2 / 2))
    # Student's quantile times 1 % over the root of 7 is 0.92 %; of 6, 1.05 %.
    assert (row.needed_5, row.needed_1) == (3, 7)


def test_a_share_is_compared_as_a_difference():
    found = resolution(summaries("%", [0, 2, 4], [0, 3, 5]), "twin", ("a", "b"))
    (row,) = found.itertuples()
    assert (row.kind, row.value) == ("difference", pytest.approx(2 / 3))
    width = STUDENT * np.std([0, 1, 1], ddof=1) / np.sqrt(3)
    assert row.half == pytest.approx(100 * width / np.mean([0, 2, 4, 0, 3, 5]), rel=1e-4)


def test_what_one_round_compares_is_left_out_and_what_never_varies_needs_nothing():
    assert resolution(summaries("ms", [1], [2]), "twin", ("a", "b")).empty
    (row,) = resolution(summaries("ms", [5, 5, 5], [5, 5, 5]), "twin", ("a", "b")).itertuples()
    assert (row.half, row.variation, row.false) == (0, 0, False)
    assert np.isnan(row.needed_1)


def test_each_level_within_trials_is_compared_by_itself():
    small, large = (
        summaries("Mbit/s", [1, 1, 1], values).assign(size=size)
        for size, values in (("64", [1, 1.1, 1]), ("1408", [2, 2.1, 2]))
    )
    found = resolution(pd.concat([small, large]), "twin", ("a", "b"), ["size"])
    assert found["levels"].tolist() == ["64", "1408"]
    assert found["value"].tolist() == pytest.approx(
        [1.1 ** (1 / 3), 4.2**0.3333333 * 2 ** (1 / 3)], rel=1e-3
    )

"""Comparisons of like with like, on tables small enough to count by hand."""

import numpy as np
import pandas as pd
import pytest
from frames import frame

from notebooks.calibration.asks import comparisons, false_rates


def table(**values: dict[str, list[float]]) -> pd.DataFrame:
    """network -> arm -> one value per block."""
    rows = [
        (block, network, arm, value)
        for network, arms in values.items()
        for arm, of_blocks in arms.items()
        for block, value in enumerate(of_blocks, 1)
    ]
    same = {"trial": 1, "probe": "latency", "metric": "rtt", "unit": "ms"}
    return frame("block network arm value", *rows, **same)


def test_each_network_is_a_comparison():
    e = np.e
    found = comparisons(
        table(
            # The logarithms of b / a are 1, 2 and 3: mean 2, standard error 1 / sqrt(3).
            normal={"a": [1, 1, 1], "b": [e, e**2, e**3]},
            # 2.9, 3, 3.1: the interval excludes no effect.
            loss={"a": [1, 1, 1], "b": [e**2.9, e**3, e**3.1]},
            # Two blocks are too few, and equal values have no spread.
            delay={"a": [1, 1], "b": [2, 3]},
            rate={"a": [1, 1, 1], "b": [1, 1, 1]},
        ),
        "arm",
        ("a", "b"),
        [("latency", "rtt")],
    )
    assert found[["network", "n", "false"]].values.tolist() == [
        ["normal", 3, False],
        ["loss", 3, True],
    ]
    # Student's quantile for two degrees of freedom is 4.3027.
    assert found["value"].tolist() == pytest.approx([e**2, e**3])
    assert np.log(found["low"][0]) == pytest.approx(2 - 4.3027 / np.sqrt(3), abs=1e-4)


def test_false_rates_of_sources_and_of_all():
    """Clopper and Pearson: none of 3 is false, so at most 1 - 0.025 ** (1 / 3)."""
    rates = false_rates(
        {
            "one": pd.DataFrame({"false": [False, False, False]}),
            "two": pd.DataFrame({"false": [True]}),
            "none": pd.DataFrame({"false": []}),
        }
    )
    assert rates["comparisons"].tolist() == [3, 1, 0, 4]
    assert rates["false"].tolist() == [0, 1, 0, 1]
    assert rates.loc["one", "high"] == pytest.approx(1 - 0.025 ** (1 / 3))
    assert rates.loc["two", "low"] == pytest.approx(0.025)
    assert rates.loc["all", "share"] == 0.25
    assert np.isnan(rates.loc["none", "share"])

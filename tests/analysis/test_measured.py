import numpy as np
import pandas as pd

from remeasure.paper.analysis.measured import Measurements


def summaries() -> pd.DataFrame:
    """Two blocks of three cells: one cell measured twice in a block, one missing, one not known."""
    rows = [
        (1, 1, "b", "ping", "rtt", "ms", 4.0),
        (1, 2, "a", "ping", "rtt", "ms", 1.0),
        (1, 3, "a", "ping", "rtt", "ms", 2.0),
        (2, 1, "a", "ping", "rtt", "ms", 7.0),
        (2, 2, "b", "ping", "rtt", "ms", np.nan),
        (2, 3, "a", "iperf", "rtt", "ms", 9.0),
        (2, 3, "a", "iperf", "rate", "Mbit/s", 5.0),
    ]
    return pd.DataFrame(
        rows, columns=["block", "trial", "suite", "probe", "metric", "unit", "value"]
    )


def test_values_are_those_of_a_pivot() -> None:
    table = summaries()
    expected = table[table["metric"] == "rtt"].pivot_table(
        index="block", columns=["suite", "probe"], values="value", observed=True
    )
    found = Measurements(table).of("rtt")
    np.testing.assert_array_equal(found.values, expected.to_numpy())
    assert list(found.blocks) == list(expected.index)
    assert list(found.cells.itertuples(index=False, name=None)) == list(expected.columns)
    assert found.levels == found.cells.to_dict("records")
    assert found.unit == "ms"


def test_of_one_probe() -> None:
    found = Measurements(summaries()).of("rtt", "ping")
    np.testing.assert_array_equal(found.values, [[1.5, 4.0], [7.0, np.nan]])
    assert found.levels == [{"suite": s, "probe": "ping"} for s in "ab"]


def test_what_was_not_measured_has_no_cell() -> None:
    known = Measurements(summaries())
    assert known.of("loss").cells.empty
    assert known.of("rate", "ping").cells.empty
    assert known.of("loss").unit == ""

"""Pratama 2025: its published table, and its arms."""

import pytest

from remeasure.bench.claims.published import load_published
from remeasure.paper.analysis.verdicts.study_tables import comparison_table


def test_published_numbers_of_pratama():
    table = comparison_table(load_published("pratama")).set_index("id")
    assert len(table) == 16
    row = table.loc["pratama-ike-normal"]
    assert row["rsa"] - row["psk"] == pytest.approx(10.75)
    assert table["significant"].equals(table["p"] < 0.05)

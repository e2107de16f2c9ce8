"""The verdict that hangs on two blocks, from both of their versions."""

import pandas as pd
import pytest

from remeasure.analysis.coverage.replaced_blocks import (
    as_first_measured,
    ratio_of,
    read_replaced,
)
from remeasure.campaign.archive import BlockArchive
from remeasure.paths import RAW
from remeasure.tidy.rows import observation_rows

BLOCKS = RAW / "lab-2026-11-eap-pinned/eap-methods"


def test_the_file_has_what_released_blocks_have():
    table = read_replaced().query("measured == 'released'").set_index("block")
    assert len(table) == len(list(BLOCKS.glob("block-*.zip")))
    rows = pd.DataFrame(observation_rows(BlockArchive(BLOCKS / "block-02.zip")))
    here = rows.query("probe == 'direct' and metric == 'delay' and rtt == '0'")
    found = here.groupby("method")["value"].median()
    assert table.loc[2, "two_ms"] == pytest.approx(found["eap-tls-2-2"])
    assert table.loc[2, "four_ms"] == pytest.approx(found["eap-tls-4-4"])


def test_each_set_of_blocks_has_its_ratio():
    table = read_replaced()
    first, released = as_first_measured(table), table.query("measured == 'released'")
    assert list(first["block"]) == list(released["block"]) == [1, 2, 3, 4, 5]
    assert list(first["measured"]) == ["first"] * 2 + ["released"] * 3
    # The statement is confirmed beyond 1: with the first blocks its bound of 1.07 is not reached.
    assert ratio_of(first).low < 1.07 < ratio_of(released).low < ratio_of(released).value
    assert ratio_of(table).n == 7

"""The machines on which released blocks in virtual time were measured."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.repetitions import read_repetitions
from remeasure.paper.notebook import measurements
from remeasure.paper.notebook.measurements import seen
from remeasure.paper.publish.repeated_machines import PAGE, machines_table, released_blocks, updated


def test_the_page_is_what_the_measurements_say():
    assert updated(PAGE.read_text()) == PAGE.read_text(), "make it again: remeasure codebook"


def test_every_measurement_of_a_released_block_is_counted():
    found = list(seen(released_blocks()))
    assert len({one.block for one in found}) == len(released_blocks())
    assert len(found) >= 2 * len(released_blocks()) + len(read_repetitions())
    table = machines_table(found).splitlines()
    measured = [int(row.split(" | ")[4]) for row in table[2:]]
    assert sum(measured) == len(found)


def test_a_row_of_another_block_is_named(monkeypatch):
    (row, *_) = read_repetitions()
    other = row.model_copy(update={"released": "0" * 64})
    monkeypatch.setattr(measurements, "read_repetitions", lambda: [other])
    with pytest.raises(
        UserError, match="calibration/block-01: released: found 0000.*, expected 4b5f"
    ):
        list(seen(released_blocks()))

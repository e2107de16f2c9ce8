"""The table of released blocks that were measured again."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.hashes import file_hash
from remeasure.bench.campaign.repetitions import add_repetition, read_repetitions, repetition_of
from remeasure.bench.campaign.virtual_blocks import Measurement


@pytest.fixture
def block(tmp_path):
    archive = tmp_path / "mine/small/block-03.zip"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"content")
    return archive


def measurement(sha256: str) -> Measurement:
    return Measurement(
        sha256=sha256,
        start="2026-11-25T05:00:00+00:00",
        seconds=1.5,
        virtual_seconds=40,
        trials=2,
        load=0.5,
        software="0123",
        machine={"cpu": 'a "fast", new one', "cpu_flags": "", "cpus": 2, "kernel": "Linux 6"},
    )


def test_every_row_comes_back(tmp_path, block):
    table = tmp_path / "repeated.csv"
    assert read_repetitions(table) == []
    same = repetition_of(block, measurement(file_hash(block)))
    other = repetition_of(block, measurement("0" * 64))
    for one in (same, other):
        add_repetition(one, table)
    assert read_repetitions(table) == [same, other]
    assert (same.same, other.same) == ("yes", "no")
    assert (same.campaign, same.scenario, same.block, same.date) == (
        "mine",
        "small",
        3,
        "2026-11-25",
    )
    assert same.system and same.user, "of this machine"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((",yes,", ",no,"), "line 2: .*same: found 'no', expected 'yes' by the two hashes"),
        ((",3,", ",three,"), r"line 2: block: .* \(found 'three'\)"),
        (("mine,", ""), "line 2: "),
    ],
)
def test_a_damaged_table_is_one_clear_message(tmp_path, block, change, message):
    table = tmp_path / "repeated.csv"
    add_repetition(repetition_of(block, measurement(file_hash(block))), table)
    table.write_text(table.read_text().replace(*change))
    with pytest.raises(UserError, match=rf"^{table}: {message}") as error:
        read_repetitions(table)
    assert "\n" not in str(error.value)

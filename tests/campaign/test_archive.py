"""Archives: the same bytes for the same block; damage is named."""

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.members import pack


def test_archives_are_deterministic_and_damage_is_named(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "trials/0001").mkdir(parents=True)
        (tmp_path / name / "block.json").write_text("{}")
        (tmp_path / name / "trials/0001/ping.log").write_text("hello\n" * 100)
        pack(tmp_path / name, tmp_path / f"{name}.zip")
    content = (tmp_path / "one.zip").read_bytes()
    assert content == (tmp_path / "two.zip").read_bytes()
    with pytest.raises(UserError, match="no such block"):
        BlockArchive(tmp_path / "three.zip")
    (tmp_path / "cut.zip").write_bytes(content[:-30])
    with pytest.raises(UserError, match="cut.zip: not a block archive"):
        BlockArchive(tmp_path / "cut.zip")

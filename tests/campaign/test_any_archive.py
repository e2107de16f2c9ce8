"""Reading any archive gives its trials, or a UserError."""

import pytest
from blocks import smaller
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projects import LEFT

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive

QUICK = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    database=None,
)


@pytest.fixture(scope="module")
def block(tmp_path_factory) -> bytes:
    """One trial of a real block."""
    path = tmp_path_factory.mktemp("real") / "block-01.zip"
    source = BlockArchive(LEFT / "lab-2026-11-quick/algorithm-sweep/block-01.zip")
    smaller(source, path, lambda record: record["order"] == 1)
    return path.read_bytes()


def read(folder, content: bytes) -> None:
    """All of an archive."""
    path = folder / "block-01.zip"
    path.write_bytes(content)
    try:
        archive = BlockArchive(path)
        for trial in archive.trials:
            for _ in [*archive.logs(trial), *archive.counters(trial)]:
                pass
        archive.read_rest()
    except UserError as error:
        assert str(path) in str(error) and "\n" not in str(error)


@QUICK
@given(data=st.data())
def test_a_real_archive_with_bytes_changed(tmp_path, block, data):
    content = bytearray(block)
    head = st.integers(0, len(content) - 1)
    tail = st.integers(len(content) - 3000, len(content) - 1)  # the list of members
    for at in data.draw(st.lists(head | tail, min_size=1, max_size=4)):
        content[at] = data.draw(st.integers(0, 255))
    read(tmp_path, content)

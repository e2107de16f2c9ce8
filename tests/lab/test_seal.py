"""A folder of the cache that is not as it was built."""

import os

import pytest

from remeasure.bench.lab.seal import damage, is_sealed, seal


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/libc").write_bytes(b"abc")
    (tmp_path / "disk").write_bytes(bytes(1000))
    assert not is_sealed(tmp_path)
    seal(tmp_path)
    assert is_sealed(tmp_path)
    return tmp_path


def test_as_it_was_built_or_a_copy_with_other_times(folder):
    assert damage(folder) is None
    os.utime(folder / "disk", (1, 1))
    assert damage(folder) is None


@pytest.mark.parametrize(
    "spoil, found",
    [
        (lambda folder: (folder / "disk").write_bytes(bytes(10)), "disk has 10 bytes, not 1000"),
        (lambda folder: (folder / "lib/libc").write_bytes(b"abd"), "lib/libc has other bytes"),
        (lambda folder: (folder / "lib/libc").unlink(), "lib/libc is missing"),
        (lambda folder: (folder / "disk").chmod(0o600), "disk has mode 600, not "),
        (lambda folder: (folder / "seal.json").write_text("[]"), "seal.json cannot be read"),
        (lambda folder: (folder / "seal.json").write_text('{"disk'), "seal.json cannot be read"),
    ],
)
def test_damage_is_named(folder, spoil, found):
    spoil(folder)
    assert damage(folder).startswith(found)

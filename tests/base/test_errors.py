"""Errors for a person are one line."""

import errno

import pytest

from remeasure.bench.base.errors import advice, naming, one_line


def test_a_name_begins_no_line_and_colours_nothing():
    assert one_line("a\nremeasure: all is well \x1b[31m\u202e\ud800") == (
        r"a\nremeasure: all is well \x1b[31m\u202e\ud800"
    )
    assert one_line("Größe x: 5 µs, 日本") == "Größe x: 5 µs, 日本"


def test_an_error_of_writing_names_the_file(tmp_path):
    with pytest.raises(OSError) as found, naming(tmp_path / "tables"):
        raise OSError(errno.ENOSPC, "[errno 28] No space left on device")
    line = f"{tmp_path}/tables: No space left on device; free some space"
    assert advice(found.value) == line
    with pytest.raises(FileNotFoundError) as found, naming(tmp_path):
        (tmp_path / "absent").read_bytes()
    assert found.value.filename == str(tmp_path / "absent")

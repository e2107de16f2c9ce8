"""A file is there whole or not at all."""

import signal
import subprocess
import sys

import pytest

from remeasure.bench.base.files import atomic_path, atomic_write


def names(folder):
    return [path.name for path in folder.iterdir()]


def test_a_file_is_written_with_its_mode(tmp_path):
    path = tmp_path / "key.pem"
    atomic_write(path, "secret", mode=0o600)
    assert path.read_text() == "secret" and path.stat().st_mode & 0o777 == 0o600
    atomic_write(path, "other")
    assert path.read_bytes() == b"other"
    assert names(tmp_path) == ["key.pem"]


def test_what_cannot_be_finished_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.zip"
    path.write_text("before")
    with pytest.raises(ValueError, match="no"), atomic_path(path) as part:
        part.write_text("half")
        raise ValueError("no")
    assert path.read_text() == "before" and names(tmp_path) == ["a.zip"]


def test_a_killed_process_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.zip"
    path.write_text("before")
    script = (
        "import os, pathlib, remeasure.bench.base.files as a\n"
        f"with a.atomic_path(pathlib.Path({str(path)!r})) as part:\n"
        "    part.write_text('half')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == -signal.SIGKILL
    assert path.read_text() == "before"
    atomic_write(path, "after")
    assert path.read_text() == "after" and names(tmp_path) == ["a.zip"]

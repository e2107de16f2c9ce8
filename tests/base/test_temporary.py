"""A clone deletes the temporary folder that it made itself, and no other."""

import os
import shutil

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.temporary import claim, open_own, remove_left


@pytest.fixture
def left(tmp_path):
    """What a workflow that was killed has left: the clone's file, and a temporary folder."""
    folder = tmp_path / "snakemake-left"
    folder.mkdir()
    with (tmp_path / "running").open("a+") as own:
        claim(own, folder).close()
        yield own, folder


def test_what_a_killed_workflow_has_left_is_removed(left):
    own, folder = left
    remove_left(own)
    assert not folder.exists()


def test_the_folder_of_a_workflow_at_work_is_kept(tmp_path):
    folder = tmp_path / "snakemake-at-work"
    folder.mkdir()
    with (tmp_path / "running").open("a+") as own, claim(own, folder):
        remove_left(own)
        assert folder.exists()


def test_a_copy_of_the_clone_keeps_it(left, tmp_path):
    own, folder = left
    shutil.copy2(own.name, tmp_path / "copied")
    with (tmp_path / "copied").open("a+") as copied:
        remove_left(copied)
    assert folder.exists()


@pytest.mark.parametrize("kind", ["foreign", "copy", "link", "another name", "relative"])
def test_a_file_that_was_edited_deletes_nothing(left, tmp_path, kind, monkeypatch):
    own, folder = left
    other = tmp_path / "snakemake-other"
    if kind == "foreign":
        other.mkdir()
    elif kind == "another name":
        other = tmp_path / "thesis"
        shutil.copytree(folder, other)
    elif kind == "link":
        other.symlink_to(folder)
    else:
        shutil.copytree(folder, other)
    named = other.name if kind == "relative" else other
    monkeypatch.chdir(tmp_path)
    own.seek(0)
    token = own.read().split()[0]
    own.truncate(0)
    own.write(f"{token} {named}\n")
    remove_left(own)
    assert other.exists() and folder.exists()


@pytest.mark.parametrize("text", ["", "\0", "/", "x", "token /", "token /nowhere/snakemake-x"])
def test_a_file_of_anything_is_read(tmp_path, text):
    with (tmp_path / "running").open("a+") as own:
        own.write(text)
        remove_left(own)


@pytest.mark.parametrize("kind", ["link", "another name", "folder", "pipe"])
def test_what_is_no_file_of_the_clone_is_not_written_to(tmp_path, kind):
    precious, path = tmp_path / "precious", tmp_path / "running"
    precious.write_text("a")
    if kind == "link":
        path.symlink_to(precious)
    elif kind == "another name":
        os.link(precious, path)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(UserError, match="running: .*delete it"):
        open_own(path)
    assert precious.read_text() == "a"


def test_a_file_of_no_text_is_read(tmp_path):
    (tmp_path / "running").write_bytes(b"\xff\xfe /x\0")
    with open_own(tmp_path / "running") as own:
        remove_left(own)

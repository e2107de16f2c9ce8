"""Fetching the raw files of Wagner 2025, from a server of our own."""

import functools
import hashlib
import http.server
import threading

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.paper.studies.wagner import fetch
from remeasure.paper.studies.wagner.raw_run import files_of

NAMES = [file for run in ("unenc", "esp", "pcpu") for file in files_of(run)]


@pytest.fixture
def server(tmp_path):
    """(address, folder it serves)"""
    folder = tmp_path / "Raw Data"
    folder.mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/Raw Data/", folder
        running.shutdown()


@pytest.fixture
def known_by_name(monkeypatch):
    """Files that contain their own name are the ones that are known."""
    known = {name: hashlib.sha256(name.encode()).hexdigest() for name in NAMES}
    monkeypatch.setattr(fetch, "kept_quantities", lambda: {"files": known})


def test_all_files_come(server, tmp_path, known_by_name):
    address, folder = server
    for name in NAMES:
        (folder / name).write_text(name)
    found = fetch.fetch_wagner(tmp_path / "here", address)
    assert {path.name: path.read_text() for path in found} == {name: name for name in NAMES}


def test_one_that_is_missing_leaves_nothing(server, tmp_path, known_by_name):
    address, folder = server
    for name in NAMES[:-1]:
        (folder / name).write_text(name)
    with pytest.raises(UserError, match=rf"{NAMES[-1]}: .*[Nn]ot [Ff]ound"):
        fetch.fetch_wagner(tmp_path / "here", address)
    assert not list(tmp_path.glob("here*"))


def test_one_that_is_another_is_named(server, tmp_path):
    address, folder = server
    for name in NAMES:
        (folder / name).write_text(name)
    with pytest.raises(UserError, match=r"unenc\.csv: SHA-256 \w+, expected f78c7f5"):
        fetch.fetch_wagner(tmp_path / "here", address)
    assert not list(tmp_path.glob("here*"))


def test_a_folder_with_other_things_is_left_alone(server, tmp_path):
    address, _ = server
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").write_text("x")
    with pytest.raises(UserError, match="mine: has thesis.tex, which is no raw file"):
        fetch.fetch_wagner(tmp_path / "mine", address)
    assert (tmp_path / "mine/thesis.tex").exists()


def test_without_a_network_one_line_says_what_to_do(tmp_path):
    with pytest.raises(UserError, match="unenc.csv: .*; without the network, leave wagner_raw out"):
        fetch.fetch_wagner(tmp_path / "here", "http://127.0.0.1:9/")
    assert not list(tmp_path.glob("here*"))

"""The beginning of a bundle, in front of a small archive: it unpacks once and runs what was asked,
or says in one line why it cannot."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.bundle import selfextracting
from remeasure.bench.bundle.bundle_needs import wanted
from remeasure.bench.bundle.python_packages import versions

PROGRAM = """
import os, sys
import here
print(here.__file__, *sys.argv[1:])
"""
"""what the bundles of these tests run in place of the package: it says what it was asked, and where
it found a Python package"""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    tree = folder / "files"
    files = {"code/bundle.json": '{"software": "abc"}', "code/workflow/remeasure/__init__.py": ""}
    files["code/workflow/remeasure/__main__.py"] = PROGRAM
    files |= {f"python-{version}/here.py": "" for version in versions()}
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    (tree / "cache").mkdir()
    (tree / "cache" / "disk").write_bytes(os.urandom(1 << 20))
    selfextracting.write_file(tree, wanted(["psk-rsa"], None), folder / "made.run")
    return folder / "made.run"


@pytest.fixture
def bundle(made, tmp_path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copy(made, tmp_path / "a bundle.run"))


def start(*command: str | Path, cache: Path | None = None, **environment: str):
    """Run a bundle where nothing is set but PATH, and a folder to unpack to."""
    kept = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    kept |= {"XDG_CACHE_HOME": str(cache)} if cache else {}
    return subprocess.run(
        [str(part) for part in command], env=kept | environment, capture_output=True, text=True
    )


def refused(done, message: str) -> None:
    assert done.returncode == 1
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert message in last
    others = [line for line in done.stderr.splitlines()[:-1] if "unpacking 1 MiB" not in line]
    assert others == []


def test_it_unpacks_once_and_runs_what_was_asked(bundle, tmp_path):
    first = start(bundle, "measure", "two words", cache=tmp_path / "cache")
    again = start(bundle, "measure", "two words", cache=tmp_path / "cache")
    assert first.returncode == again.returncode == 0, first.stderr
    (folder,) = (tmp_path / "cache").glob("*/????????????????")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert first.stdout == f"{folder}/python-{version}/here.py measure two words\n" == again.stdout
    assert first.stderr == f"bundle: unpacking 1 MiB to {folder}, once\n"
    assert again.stderr == ""


def test_several_begun_at_once_unpack_once(bundle, tmp_path):
    command = f'for one in 1 2 3 4; do "{bundle}" measure & done; wait'
    done = start("bash", "-c", command, cache=tmp_path / "cache")
    assert done.stdout.count("here.py measure\n") == 4
    assert done.stderr.count("unpacking") == 1


def test_what_a_killed_one_left_is_replaced(bundle, tmp_path):
    start(bundle, "measure", cache=tmp_path / "cache")
    (folder,) = (tmp_path / "cache").glob("*/????????????????")
    shutil.rmtree(folder / "code")
    folder.rename(folder.with_suffix(".part"))
    assert start(bundle, "measure", cache=tmp_path / "cache").returncode == 0
    assert not folder.with_suffix(".part").exists()


@pytest.mark.parametrize("left", [-1, -(1 << 19), 3000, 1000])
def test_a_bundle_that_was_cut(bundle, left, tmp_path):
    """By a byte, by half, and within its beginning."""
    whole = bundle.read_bytes()
    bundle.write_bytes(whole[:left])
    found = f"found {len(whole[:left])} bytes, expected {len(whole)}: copy it again"
    refused(start(bundle, "measure", cache=tmp_path / "cache"), f"{bundle}: {found}")


def test_a_bundle_with_another_byte(bundle, tmp_path):
    content = bytearray(bundle.read_bytes())
    content[-5000] ^= 1
    bundle.write_bytes(content)
    refused(start(bundle, "measure", cache=tmp_path / "cache"), f"{bundle}: found SHA-256 ")
    assert not (tmp_path / "cache").exists()


def test_another_architecture(bundle):
    done = start("setarch", "i686", bundle, "--help")
    refused(done, "made for x86_64, found i686; make another one on such a machine")


@pytest.mark.parametrize("said", ["Python 3.9.2", None])
def test_a_python_that_is_too_old_or_missing(bundle, tmp_path, said):
    """A program that answers as an old Python does, alone with what else the beginning runs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "stat", "uname"):
        (programs / name).symlink_to(shutil.which(name))
    if said:
        python = programs / "python3"
        python.write_text(f'#!/bin/bash\n[[ $1 == --version ]] && echo "{said}" || echo 3.9\n')
        python.chmod(0o755)
    done = start("bash", bundle, "--help", PATH=str(programs))
    refused(done, f"expected Python 3.11, 3.12, 3.13, whose packages it has, found {said or 'no'}")


def test_an_older_c_library(monkeypatch, tmp_path, made):
    monkeypatch.setattr(selfextracting, "OLDEST_LIBC", "99.1")
    (tmp_path / "files" / "code").mkdir(parents=True)
    (tmp_path / "files" / "code" / "bundle.json").write_text('{"software": "abc"}')
    bundle = tmp_path / "made.run"
    selfextracting.write_file(tmp_path / "files", wanted(["psk-rsa"], None), bundle)
    done = start(bundle, "measure", cache=tmp_path / "cache")
    refused(done, "found C library glibc 2")
    assert "expected 99.1 or later" in done.stderr


def test_a_full_disk(bundle, tmp_path):
    """Half of the files fit; nothing of them is left."""
    command = f'mount -t tmpfs -o size=512k tmpfs "{tmp_path}/cache"; "{bundle}" measure; left=$?'
    command += f'; find "{tmp_path}/cache" -mindepth 2 ! -name "*.lock"; exit $left'
    (tmp_path / "cache").mkdir()
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", command]
    done = start(*unshare, cache=tmp_path / "cache")
    refused(done, "No space left on device; it needs 1 MiB there, or in a folder that XDG_CACHE")


def test_a_cache_that_cannot_be_made(bundle, tmp_path):
    (tmp_path / "cache").write_text("")
    refused(start(bundle, "measure", cache=tmp_path / "cache"), f"{tmp_path}/cache")


def test_no_folder_to_unpack_to(bundle):
    refused(start(bundle, "measure"), "neither XDG_CACHE_HOME nor HOME is set")


def test_another_command(bundle, tmp_path):
    done = start(bundle, "tables", cache=tmp_path / "cache")
    refused(done, f"found 'tables', expected measure or check; see {bundle} --help")


def test_help_names_what_it_measures(bundle):
    done = start(bundle, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "scenarios: psk-rsa\n" in done.stdout


def test_a_scenario_that_no_bundle_measures():
    with pytest.raises(UserError, match="expected own: a bundle cannot bring hosts the libraries"):
        wanted(["cipher-cost"], None)

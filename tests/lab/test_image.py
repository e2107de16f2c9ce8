"""A guest image that was moved to another cache, or is not as it was built."""

import os
import shutil
import subprocess

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.image import damage, get_image, seal, settle


@pytest.fixture
def moved(tmp_path):
    """The image's files for the kernel, elsewhere."""
    folder = tmp_path / "guest größe"
    shutil.copytree(get_image().folder, folder, ignore=lambda *_: ["base.ext4", "seal.json"])
    seal(folder)
    return folder


def interpreter(folder) -> str:
    asked = ["patchelf", "--print-interpreter", folder / "linux"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.lab
def test_its_kernel_finds_its_loader_there(moved):
    assert interpreter(moved) != f"{moved}/lib/ld-linux-x86-64.so.2"
    settle(moved)
    assert interpreter(moved) == f"{moved}/lib/ld-linux-x86-64.so.2"
    assert damage(moved) is None
    subprocess.run([moved / "linux", "--version"], check=True, capture_output=True)
    before = (moved / "linux").stat()
    settle(moved)
    assert (moved / "linux").stat() == before, "it is changed once"


@pytest.mark.lab
def test_what_cannot_be_changed_is_said(moved, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("remeasure.bench.testbed.tools.ADMIN_FOLDERS", "/nowhere")
    with pytest.raises(UserError, match="the guest image was moved here.*delete the folder"):
        settle(moved)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/libc").write_bytes(b"abc")
    (tmp_path / "disk").write_bytes(bytes(1000))
    seal(tmp_path)
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

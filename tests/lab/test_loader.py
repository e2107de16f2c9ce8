"""A guest image that was moved to another cache."""

import shutil
import subprocess

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.image import get_image, settle
from remeasure.bench.lab.seal import damage, seal

pytestmark = pytest.mark.lab


@pytest.fixture
def moved(tmp_path):
    """What the kernel needs of the image, elsewhere."""
    folder = tmp_path / "guest größe"
    shutil.copytree(get_image().folder, folder, ignore=lambda *_: ["base.ext4", "seal.json"])
    seal(folder)
    return folder


def interpreter(folder) -> str:
    asked = ["patchelf", "--print-interpreter", folder / "linux"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def test_its_kernel_finds_its_loader_there(moved):
    assert interpreter(moved) != f"{moved}/lib/ld-linux-x86-64.so.2"
    settle(moved)
    assert interpreter(moved) == f"{moved}/lib/ld-linux-x86-64.so.2"
    assert damage(moved) is None
    subprocess.run([moved / "linux", "--version"], check=True, capture_output=True)
    before = (moved / "linux").stat()
    settle(moved)
    assert (moved / "linux").stat() == before, "it is changed once"


def test_what_cannot_be_changed_is_said(moved, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("remeasure.bench.testbed.tools.ADMIN_FOLDERS", "/nowhere")
    with pytest.raises(UserError, match="the guest image was moved here.*delete the folder"):
        settle(moved)

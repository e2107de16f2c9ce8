"""A guest image that was moved to another cache, or is not as it was built."""

import os
import shutil
import subprocess

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.image import RELATIVE, damage, get_image, require_own_loader, seal
from remeasure.bench.testbed.tools import environment


@pytest.fixture
def moved(tmp_path):
    """The image's files for the kernel, elsewhere."""
    folder = tmp_path / "guest größe"
    shutil.copytree(get_image().folder, folder, ignore=lambda *_: ["base.ext4", "sealed.json"])
    seal(folder)
    return folder


@pytest.mark.lab
def test_an_image_that_was_moved_is_refused(moved):
    with pytest.raises(UserError, match="the guest image was moved here.*delete the folder"):
        require_own_loader(moved)
    named = ["patchelf", "--set-interpreter", RELATIVE, moved / "linux"]
    subprocess.run(named, check=True, env=environment())
    require_own_loader(moved)


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


UNREADABLE = "sealed.json cannot be read"


@pytest.mark.parametrize(
    "spoil, found",
    [
        (lambda folder: (folder / "disk").write_bytes(bytes(10)), "disk has other bytes"),
        (lambda folder: (folder / "lib/libc").write_bytes(b"abd"), "lib/libc has other bytes"),
        (lambda folder: (folder / "lib/libc").unlink(), "lib/libc is missing"),
        (lambda folder: (folder / "sealed.json").write_text("[]"), UNREADABLE),
        (
            lambda folder: (folder / "sealed.json").write_text('{"disk'),
            UNREADABLE,
        ),
    ],
)
def test_damage_is_named(folder, spoil, found):
    spoil(folder)
    assert damage(folder).startswith(found)

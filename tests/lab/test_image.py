"""A guest image that was moved to another cache."""

import shutil
import subprocess

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.image import RELATIVE, get_image, require_own_loader
from remeasure.bench.testbed.tools import environment


@pytest.fixture
def moved(tmp_path):
    """The image's files for the kernel, elsewhere."""
    folder = tmp_path / "guest größe"
    shutil.copytree(get_image().folder, folder, ignore=lambda *_: ["base.ext4"])
    return folder


@pytest.mark.lab
def test_an_image_that_was_moved_is_refused(moved):
    with pytest.raises(UserError, match="the guest image was moved here.*delete the folder"):
        require_own_loader(moved)
    named = ["patchelf", "--set-interpreter", RELATIVE, moved / "linux"]
    subprocess.run(named, check=True, env=environment())
    require_own_loader(moved)

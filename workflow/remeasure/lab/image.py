"""The guest image and kernels: built by scripts in env/guest, cached by the hash of their
recipe."""

import subprocess
from pathlib import Path
from typing import Literal

from remeasure.errors import UserError
from remeasure.paths import ROOT

BUILD = ROOT / "env" / "guest" / "build"
BUILD_KERNEL = ROOT / "env" / "guest" / "kernel" / "build"


class Image:
    """A finished image: its folder, kernel and disk."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.kernel = folder / "linux"
        self.disk = folder / "base.ext4"

    @property
    def facts(self) -> dict[str, str]:
        """What is recorded of the image: recipe (its hash), suite (of Debian), built (time,
        UTC)."""
        return _table(self.folder / "image.tsv")

    @property
    def packages(self) -> dict[str, str]:
        """Versions of all packages in the image: name of the Debian package -> version."""
        return _table(self.folder / "packages.tsv")


def get_image() -> Image:
    """The image; it is built if it is missing. Raises UserError if the build fails."""
    return Image(_built("the guest image", [BUILD]))


def get_kernel(kind: Literal["smp", "stock"]) -> Path:
    """The folder of a kernel; it is built if it is missing. Raises UserError if the build fails."""
    return _built(f"the kernel {kind}", [BUILD_KERNEL, kind])


def is_built(kernel: Literal["smp", "stock"]) -> bool:
    """Whether a kernel is there."""
    asked = subprocess.run(
        [BUILD_KERNEL, "--path", kernel], stdout=subprocess.PIPE, text=True, check=True
    )
    return Path(asked.stdout.strip()).exists()


def _built(what: str, command: list) -> Path:
    build = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if build.returncode:
        raise UserError(f"lab: {what} could not be built (see above)")
    return Path(build.stdout.splitlines()[-1])


def _table(path: Path) -> dict[str, str]:
    return dict(line.split("\t") for line in path.read_text().splitlines())

"""What a guest in virtual time is made of: built by env/virtual-time/build, kept in the cache."""

import hashlib
from pathlib import Path

from remeasure.bench.base.paths import ROOT
from remeasure.bench.lab.image import Image, built, get_image

BUILD = ROOT / "env" / "virtual-time" / "build"
_SOURCES = ("build", "virtual-time.c", "virtual-files.c", "agent.c", "init")


class Parts:
    """A kernel, the library that replaces its clock, and its root file system."""

    def __init__(self, image: Image, folder: Path):
        self.image, self.folder = image, folder
        self.kernel = image.kernel
        self.library = folder / "virtual-time.so"
        self.root = folder / "root"

    @property
    def source(self) -> str:
        """Hash of the sources of what is added to the image, SHA-256 in hexadecimal."""
        text = b"".join((BUILD.parent / name).read_bytes() for name in _SOURCES)
        return hashlib.sha256(text).hexdigest()


def get_parts() -> Parts:
    """The parts; what is missing is built. Raises UserError if a build fails, or if something is
    not as it was built."""
    image = get_image()
    return Parts(image, built("virtual time", BUILD))

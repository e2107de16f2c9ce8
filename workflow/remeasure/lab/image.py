"""The guest image, made by env/guest/build and cached by the hash of its recipe."""

import subprocess
from pathlib import Path

from remeasure.errors import UserError
from remeasure.paths import ROOT

BUILD = ROOT / "env" / "guest" / "build"


class Image:
    """A finished image folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.kernel = folder / "linux"
        self.disk = folder / "base.ext4"

    @property
    def facts(self) -> dict[str, str]:
        """recipe (hash), suite, built (UTC)."""
        return _table(self.folder / "image.tsv")

    @property
    def packages(self) -> dict[str, str]:
        """Debian package -> version, of everything in the image."""
        return _table(self.folder / "packages.tsv")


def get_image() -> Image:
    """The image, built if it is missing. Raises UserError if the build fails."""
    build = subprocess.run([BUILD], stdout=subprocess.PIPE, text=True)
    if build.returncode:
        raise UserError("lab: the guest image could not be built (see above)")
    return Image(Path(build.stdout.splitlines()[-1]))


def _table(path: Path) -> dict[str, str]:
    return dict(line.split("\t") for line in path.read_text().splitlines())

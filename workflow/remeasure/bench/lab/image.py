"""The guest image and kernels: built by scripts in env/guest, cached by the hash of their recipe. A
script renames a finished folder to its final name, so that a folder that is there is complete."""

import os
import re
import socket
import subprocess
from pathlib import Path
from typing import Literal

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CACHE, ROOT
from remeasure.bench.lab.namespace import require_id_mappers

RELATIVE = "lib/ld-linux-x86-64.so.2"
"""loader of the kernels of a bundle, from the folder of a guest, which has a link to these
libraries: such a kernel starts wherever the bundle is unpacked"""
_WRITTEN = re.compile(rb"\0((?:/[^\0]*/)?lib/ld-linux-x86-64\.so\.2)\0")
"""the loader that a kernel names: from the root, or from the folder of a guest"""


def require_own_loader(folder: Path) -> None:
    """Raises UserError if the kernel of the image in `folder` does not find its loader there."""
    loader, written = folder / RELATIVE, _WRITTEN.search((folder / "linux").read_bytes())
    if not written or (folder / os.fsdecode(written[1])).resolve() != loader.resolve():
        raise UserError(
            f"lab: {folder}: the guest image was moved here, where its kernel does not find its "
            "loader; delete the folder, it is built again"
        )


BUILD = ROOT / "env" / "guest" / "build"
BUILD_KERNEL = ROOT / "env" / "guest" / "kernel" / "build"
BUILD_OLDER = ROOT / "env" / "guest" / "older"
Suite = Literal["forky", "trixie", "bookworm"]
"""release of Debian from which the programs of a guest come"""
PRESENT: Suite = "forky"
"""release of the image, from which guests of an older one borrow kernel and measuring tools"""
KernelName = Literal["instructions", "smp", "stock"]
"""kernels that env/guest/kernel makes"""
PREPARED = "REMEASURE_PREPARED"
"""environment variable of a job on a node of a cluster: its image was built before, in a cache that
nodes share, and many nodes should not build it at once"""
_CACHED = {**os.environ, "XDG_CACHE_HOME": str(CACHE.parent)}
"""environment of these scripts, which would find no home folder where HOME is not set"""


class Image:
    """A finished image: its folder, kernel and disk."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.kernel = folder / "linux"
        self.disk = folder / "base.ext4"

    @property
    def facts(self) -> dict[str, str]:
        """Recorded facts of the image: recipe (its hash), suite (of Debian), built (time, UTC)."""
        return _table(self.folder / "image.tsv")

    @property
    def lent(self) -> dict[str, str]:
        """Versions of packages whose programs an older image borrows from the present one; none in
        the present image."""
        path = self.folder / "lent.tsv"
        return _table(path) if path.exists() else {}

    @property
    def packages(self) -> dict[str, str]:
        """Versions of all packages in the image: name of the Debian package -> version."""
        return _table(self.folder / "packages.tsv")


def get_image() -> Image:
    """The image; it is built if it is missing. Raises UserError if the build fails, or if the image
    was moved."""
    image = Image(built("the guest image", BUILD))
    require_own_loader(image.folder)
    return image


def get_older(suite: Suite) -> Image:
    """The programs of an older suite (env/guest/older), without a kernel or a disk; they are built
    if they are missing. Raises UserError if the build fails."""
    return Image(built(f"the programs of {suite}", BUILD_OLDER, suite))


def get_kernel(kind: KernelName) -> Path:
    """The folder of a kernel; it is built if it is missing. Raises UserError if the build fails."""
    return built(f"the kernel {kind}", BUILD_KERNEL, kind)


def built(what: str, build: Path, *kind: str) -> Path:
    """The folder that the script `build` makes, called `what` in messages; it is made if it is
    missing. Raises UserError if the build fails."""
    folder = _path(build, *kind)
    if folder.exists():
        return folder
    if os.environ.get(PREPARED):
        raise UserError(
            f"lab: {what}: found no {folder} on {socket.gethostname()}, expected it as it was "
            "built before the first job; name a folder for caches that all nodes share in "
            "XDG_CACHE_HOME, and begin again"
        )
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"lab: {CACHE}: found no such folder, and cannot make it ({error.strerror}); name "
            "another one for caches in XDG_CACHE_HOME"
        ) from None
    if build == BUILD:
        require_id_mappers()
    if subprocess.run([build, *kind], stdout=subprocess.DEVNULL, env=_CACHED).returncode:
        raise UserError(f"lab: {what} could not be built (see above)")
    return folder


def kernel_facts(kernel: KernelName | None = None) -> dict[str, str]:
    """Facts in which a kernel differs from another one; None: the kernel of the image. `version`:
    of Debian's package, of the source if it is compiled; then also `source` and `configuration`
    (hashes; patches count as source), and `compiler`."""
    if kernel is None:
        return {"version": get_image().packages["user-mode-linux"]}
    return _table(get_kernel(kernel) / "kernel.tsv")


def is_built(kernel: KernelName) -> bool:
    """Whether a kernel is there."""
    return _path(BUILD_KERNEL, kernel).exists()


def _path(build: Path, *kind: str) -> Path:
    asked: list[str | Path] = [build, "--path", *kind]
    return Path(subprocess.check_output(asked, text=True, env=_CACHED).splitlines()[-1])


def _table(path: Path) -> dict[str, str]:
    return dict(line.split("\t") for line in path.read_text().splitlines())

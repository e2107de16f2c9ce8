"""Where the kernel of the guest image finds its loader: the path is written into its file, so it
changes when a cache is moved."""

import fcntl
import os
import re
import subprocess
from pathlib import Path

from remeasure.bench.base.atomic import atomic_path
from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.seal import seal
from remeasure.bench.testbed.tool_path import environment

RELATIVE = "lib/ld-linux-x86-64.so.2"
"""loader of the kernels of a bundle, from the folder of a guest, which has a link to these
libraries: such a kernel starts wherever the bundle is unpacked"""
_WRITTEN = re.compile(rb"/[^\0]*/lib/ld-linux-x86-64\.so\.2(?=\0)")


def settle(folder: Path) -> None:
    """Let the kernel of the image in `folder` find its loader there, wherever it was built. Raises
    UserError if its file cannot be changed."""
    if _is_found(folder):
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # another process may be at it
        if not _is_found(folder):
            _write(folder)
            seal(folder)
    finally:
        os.close(descriptor)


def _is_found(folder: Path) -> bool:
    content = (folder / "linux").read_bytes()
    if b"\0" + RELATIVE.encode() + b"\0" in content:
        return True
    written = _WRITTEN.search(content)
    try:
        return written is not None and _loader(folder).samefile(os.fsdecode(written[0]))
    except OSError:
        return False


def _write(folder: Path) -> None:
    paths: list[str | Path] = ["--set-interpreter", _loader(folder), "--set-rpath", folder / "lib"]
    try:
        with atomic_path(folder / "linux") as part:
            command: list[str | Path] = ["patchelf", *paths, "--output", part, folder / "linux"]
            subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
            part.chmod((folder / "linux").stat().st_mode)
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", None) or error
        raise UserError(
            f"lab: {folder}: the guest image was moved here, and its kernel cannot be told "
            f"({' '.join(str(why).split())}); delete the folder, it is built again, or name "
            "another one for caches in XDG_CACHE_HOME"
        ) from None


def _loader(folder: Path) -> Path:
    return folder / "lib/ld-linux-x86-64.so.2"

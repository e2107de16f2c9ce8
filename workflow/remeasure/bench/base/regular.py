"""Files that can be read to their end."""

import stat
from pathlib import Path

from remeasure.bench.base.errors import UserError

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def require_regular(path: Path) -> Path:
    """`path`, unless a pipe, a device or a socket is there: who reads one may wait for ever. What
    is not there, or is a folder, is left to who opens it. Raises UserError."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except (OSError, ValueError):
        return path
    if kind in _KINDS:
        raise UserError(f"{path}: found {_KINDS[kind]}, expected a file; remove it")
    return path

"""Files: written whole or not at all, and read only where they come to an end."""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from remeasure.bench.base.errors import UserError, naming

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


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal. Raises UserError for a pipe or a device."""
    with require_regular(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a name beside `path` to write to. It becomes `path` when the block ends, and is removed
    when the block raises. A killed process leaves it behind, and the next one overwrites it."""
    part = path.with_name(f"{path.name}.part")
    try:
        with naming(path):
            yield part
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def atomic_write(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write `content` to `path`, whole or not at all; `mode`, as in open(2), is for a new file."""
    data = content.encode() if isinstance(content, str) else content
    with atomic_path(path) as part:
        part.touch(mode)
        part.write_bytes(data)


def write_once(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write `content` to `path`, whole, unless `path` is there; what is there stays.

    Several processes may try at once, on this machine or on others that share the folder: the first
    one wins. That needs hard links, which file systems of clusters have; locks of files do nothing
    on some of them. Raises UserError where there are no hard links.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with naming(path):
            part.touch(mode)
            part.write_bytes(content.encode() if isinstance(content, str) else content)
        os.link(part, path)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP) or error.filename2 is None:
            raise
        raise UserError(
            f"{path.parent}: found a file system without hard links, by which the first of several "
            "processes is told; expected one with hard links: keep the clone there"
        ) from error
    finally:
        part.unlink(missing_ok=True)

"""The temporary folder of a workflow that is at work, which the next workflow in the same clone
removes where the first one was killed.

A clone writes the folder's name into a file of its own, and a word about the clone into the folder.
The next one deletes nothing but what has that word: a file can be edited, or copied to another
clone, and may then name a folder of somebody else.
"""

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
from pathlib import Path
from typing import IO

from remeasure.bench.base.errors import UserError

_WORD = "of-clone"
"""file in a temporary folder, locked by the process that uses the folder"""
_BEGINNING = "snakemake"
"""of the names that Snakemake gives to such folders"""


def open_own(path: Path) -> IO[str]:
    """The file of this clone, made if it is missing. Raises UserError where something else has its
    name, which must not be changed: a link may lead anywhere."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        own = os.fdopen(os.open(path, flags, 0o600), "a+", errors="replace")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; delete it, or move it away") from None
    about = os.fstat(own.fileno())
    if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
        raise UserError(f"{path}: expected a file that has no other name; delete it")
    return own


def claim(own: IO[str], folder: Path) -> IO[str]:
    """Note in `own`, an open file of this clone that this process has locked, that `folder` is in
    use. It is in use until what is returned is closed, at the latest when this process ends."""
    token = secrets.token_hex(16)
    word = (folder / _WORD).open("x")
    fcntl.flock(word, fcntl.LOCK_EX)
    word.write(_identity(token, own, folder))
    word.flush()
    own.seek(0)
    own.truncate()
    own.write(f"{token} {folder}\n")
    own.flush()
    return word


def remove_left(own: IO[str]) -> None:
    """Delete the folder that `own` names, if this clone made it and no process uses it."""
    own.seek(0)
    token, _, name = own.read().strip().partition(" ")
    folder = Path(name)
    if name and folder.is_absolute() and folder.name.startswith(_BEGINNING):
        with contextlib.suppress(OSError):
            _remove(_identity(token, own, folder), folder)


def _remove(identity: str, folder: Path) -> None:
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
        return
    # Raises OSError where another process has the lock, or where a link stands in its place.
    descriptor = os.open(folder / _WORD, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor) as word:
        fcntl.flock(word, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if word.read() == identity:
            shutil.rmtree(folder)


def _identity(token: str, own: IO[str], folder: Path) -> str:
    """What a copy of the clone's file, or of the folder, has not: their places on the disk."""
    places = (os.fstat(own.fileno()), folder.lstat())
    return " ".join([token, *(f"{one.st_dev}:{one.st_ino}" for one in places)])

"""Errors for a person: one line with the problem and its remedy."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UserError(Exception):
    """Something a person can mend: the message gives the file or field, the value found, and the
    expected one. The command line prints it as one line and exits with status 1."""

    def __str__(self) -> str:
        return one_line(super().__str__())


_TO_DO = {
    errno.EACCES: "let this user read and write there, or work in a copy of one's own",
    errno.EPERM: "let this user read and write there, or work in a copy of one's own",
    errno.EROFS: "make it writable, or work in a copy",
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EFBIG: "allow larger files: ulimit -f unlimited",
    errno.ENAMETOOLONG: "use shorter names",
    errno.ELOOP: "remove the link that leads back to itself",
    errno.ENOTDIR: "remove the file that stands where a folder is expected",
    errno.EISDIR: "remove the folder that stands where a file is expected",
    errno.EMFILE: "allow more open files: ulimit -n 1024",
    errno.ENFILE: "close what else has files open",
    errno.ENOLCK: "work on a file system that has locks",
    errno.EIO: "look at the disk",
    errno.ENOENT: "put it back, or give a path that is there",
    errno.EEXIST: "remove it, or give another path",
    errno.ENOTEMPTY: "let no other program write there, and run again",
}


def advice(error: OSError) -> str | None:
    """The line for an error of the machine; None for errors that can only be a fault of the
    program."""
    if error.errno not in _TO_DO:
        return None
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror}; {_TO_DO[error.errno]}"


def one_line(message: object) -> str:
    """A message safe for a terminal: names and files in it cannot begin a line of their own, nor
    move or colour anything."""
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in str(message)
    )


def in_brief(command: str, most: int = 160) -> str:
    """A command in a message: whole, or the begin of a script."""
    return command if len(command) <= most else f"{command[:most].rstrip()} ..."


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Give `path` to an error of the machine that names no file, such as errors of writing."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error

"""What reaches a person: one line that says what is wrong and what to do."""

import errno


class UserError(Exception):
    """Something a person can mend: the message names the file or field, what was found, and
    what was expected. The command line prints it as one line and exits with status 1."""


_TO_DO = {
    errno.EACCES: "let this user read and write there, or work in a copy of one's own",
    errno.EPERM: "let this user read and write there, or work in a copy of one's own",
    errno.EROFS: "make it writable, or work in a copy",
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.ENAMETOOLONG: "use shorter names",
    errno.ELOOP: "remove the link that leads back to itself",
    errno.ENOTDIR: "remove the file that stands where a folder is expected",
    errno.EISDIR: "remove the folder that stands where a file is expected",
    errno.EMFILE: "allow more open files: ulimit -n 1024",
    errno.ENFILE: "close what else has files open",
    errno.ENOLCK: "work on a file system that has locks",
    errno.EIO: "look at the disk",
}


def advice(error: OSError) -> str | None:
    """The line for what the machine refuses; None for what can only be a fault of the program."""
    if error.errno not in _TO_DO:
        return None
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror}; {_TO_DO[error.errno]}"

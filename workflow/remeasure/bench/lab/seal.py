"""The seal of a folder of the cache: its files as they were when it was built.

An image that was cut or overwritten boots to a panic that says nothing of the cause, or boots and
measures something else.
"""

import contextlib
import json
import stat
from pathlib import Path
from typing import Any

from remeasure.bench.base.files import atomic_write, file_hash

_NAME = "seal.json"


def seal(folder: Path) -> None:
    """Write down size, mode, time of change and hash of each file. Does nothing in a folder that
    this user may not write to."""
    files = {path.relative_to(folder).as_posix(): _state(path) for path in _files(folder)}
    hashes = {name: {**state, "sha256": file_hash(folder / name)} for name, state in files.items()}
    with contextlib.suppress(OSError):
        atomic_write(folder / _NAME, json.dumps(hashes, indent=1))


def is_sealed(folder: Path) -> bool:
    return (folder / _NAME).exists()


def damage(folder: Path) -> str | None:
    """What is wrong with a sealed folder; None if its files are as they were.

    A file whose size, mode and time are as they were is not read again: the disk of a guest is
    large.
    """
    try:
        sealed = json.loads((folder / _NAME).read_text())
        found = {name: _difference(folder / name, then) for name, then in sealed.items()}
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return f"{_NAME} cannot be read"
    return next((f"{name} {what}" for name, what in found.items() if what), None)


def _difference(path: Path, then: dict[str, Any]) -> str | None:
    if not path.exists():
        return "is missing"
    now = _state(path)
    if now["size"] != then["size"]:
        return f"has {now['size']} bytes, not {then['size']}"
    if now["mode"] != then["mode"]:
        return f"has mode {now['mode']}, not {then['mode']}"
    # A copy of the cache, say to another disk, has other times and the same bytes.
    if now["changed_ns"] != then["changed_ns"] and file_hash(path) != then["sha256"]:
        return "has other bytes than those that were built"
    return None


def _files(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*") if not path.is_symlink() and path.is_file())
    return sorted(path for path in found if path != folder / _NAME)


def _state(path: Path) -> dict[str, Any]:
    about = path.stat()
    mode = f"{stat.S_IMODE(about.st_mode):o}"
    return {"size": about.st_size, "mode": mode, "changed_ns": about.st_mtime_ns}

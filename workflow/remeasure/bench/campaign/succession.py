"""One file that several processes change at once. No change is lost.

campaign.yaml                  what everyone reads
.campaign.yaml.after-<hash>    the version that follows the one with this hash

The first version is campaign.yaml itself. Each later one is a file named after its predecessor, and
made by a hard link, which only one process can make. A process that comes second begins again with
the version of the first. A process that is killed at any moment leaves a version that the next
process finds, so nobody waits for it. Why not a lock of the file: on file systems that nodes of a
cluster share, two nodes may hold the same lock.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

from remeasure.bench.base.atomic import atomic_path, write_once
from remeasure.bench.base.regular import require_regular


def advance(path: Path, change: Callable[[Path | None], bytes]) -> None:
    """Make a new version of `path`. `change` takes the file of the newest version (None: there is
    none), and returns the content of the next one; from that it must return the same content. It
    may be called several times."""
    while True:
        newest = _newest(path)
        content = newest.read_bytes() if newest else None
        wanted = change(newest)
        if newest and newest.read_bytes() != content:
            continue  # `path` itself, which another process wrote while `change` read it
        if content is None:
            write_once(path, wanted)
        elif wanted != content:
            write_once(_after(path, content), wanted)
        elif path.read_bytes() == content:
            return
        else:
            with atomic_path(path, together=True) as part:
                part.write_bytes(content)


def remove_versions(path: Path) -> None:
    """Remove all versions of `path` but the one that everyone reads. No process may change `path`
    at the same time."""
    for version in path.parent.glob(f".{path.name}.after-*"):
        version.unlink()


def _newest(path: Path) -> Path | None:
    if not path.exists():
        return None
    newest = require_regular(path)
    while (after := _after(path, newest.read_bytes())).exists():
        newest = after
    return newest


def _after(path: Path, content: bytes) -> Path:
    return path.with_name(f".{path.name}.after-{hashlib.sha256(content).hexdigest()[:16]}")

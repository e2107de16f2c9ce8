"""Files that are there whole or not at all, whenever the process that writes them is killed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to. It becomes `path` when the block ends, and is removed when
    the block raises; a killed process leaves it, and the next one writes over it."""
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def atomic_write(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write a whole file; `mode` as of open(2), for a new one."""
    data = content.encode() if isinstance(content, str) else content
    with atomic_path(path) as part:
        part.touch(mode)
        part.write_bytes(data)

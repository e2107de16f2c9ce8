"""Writing files so that they are complete or absent, whenever the process that writes is killed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from remeasure.errors import naming


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

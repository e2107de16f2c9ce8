"""Raw data that a notebook has no business to change."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW
from remeasure.bench.campaign.signed import MANIFEST


@contextmanager
def unchanged(source: Path, blocks: Iterable[Path]) -> Iterator[None]:
    """Raise UserError naming the first file of a released campaign, or of `blocks`, that was
    changed, made or removed meanwhile; `source` is the notebook that ran. Blocks of a campaign that
    is not released may be measured meanwhile."""
    blocks = list(blocks)
    before = _state(blocks)
    try:
        yield
    finally:
        after = _state(blocks)
        changed = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
        if changed:
            raise UserError(
                f"{source}: {changed[0]} was changed while the notebook ran, but raw data is only "
                f"read; restore it (git checkout -- {changed[0]}), and mend the notebook"
            )


def _state(blocks: Iterable[Path]) -> dict[Path, tuple[int, ...]]:
    """File -> what changes with it. The time of its last change of status cannot be set."""
    released = [path for of in RAW.glob(f"*/{MANIFEST}") for path in of.parent.rglob("*")]
    found: dict[Path, tuple[int, ...]] = {}
    for path in [*blocks, *released]:
        if path.is_file():
            stat = path.stat()
            where = path.resolve()
            name = where.relative_to(Path.cwd()) if where.is_relative_to(Path.cwd()) else where
            found[name] = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    return found

"""Attempts at a block of a campaign in rounds. One that was disturbed, or cut short, is kept in
REPLACED with the reasons. One that stays has a file next to it: it was judged once, by its record
and by the pace of round 1 at that time, and is not judged again by a median that has moved."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from remeasure.bench.base.files import file_hash, read_json
from remeasure.bench.campaign.staging import Staging, pack, write_json

REPLACED = "replaced"
"""folder of a campaign: attempts at blocks that were measured again"""


def judged_path(archive: Path) -> Path:
    return archive.with_suffix(".judged.json")


def is_judged(archive: Path) -> bool:
    """Whether a block was measured and judged, with its present bytes. Raises UserError."""
    path = judged_path(archive)
    if not (archive.exists() and path.exists()):
        return False
    document = read_json(str(path), path.read_bytes())
    return isinstance(document, dict) and document.get("sha256") == file_hash(archive)


def keep(archive: Path, reasons: Sequence[str]) -> None:
    """Let a block stay; `reasons`: of its last attempt to be measured again, which it is not."""
    judged = {"sha256": file_hash(archive), "attempt": attempt_at(archive), "reasons": [*reasons]}
    write_json(judged_path(archive), judged)


def attempt_at(archive: Path, kind: str = "attempt") -> int:
    """The number of the present attempt at a block, from 1. Files count, since every clone has
    them."""
    return 1 + len(list(_folder(archive).glob(f"{archive.stem}.{kind}-*.zip")))


def put_aside(archive: Path, reasons: Sequence[str]) -> Path:
    """Move a block, or the finished trials of one, into REPLACED. Returns its new path.
    An unfinished one is no attempt, but was cut short."""
    kind = "attempt" if archive.exists() else "cut"
    kept = _folder(archive) / f"{archive.stem}.{kind}-{attempt_at(archive, kind)}.zip"
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_json(kept.with_suffix(".json"), {"reasons": [*reasons]})
    if archive.exists():
        archive.replace(kept)
    else:
        pack(Staging(archive).folder, kept)
        shutil.rmtree(Staging(archive).folder)
    return kept


def _folder(archive: Path) -> Path:
    return archive.parents[1] / REPLACED / archive.parent.name

"""The folder in which a block grows, one finished trial at a time, until it is packed.

block-03.staging/block.json block-03.staging/trials/0001/trial.json, logs finished
block-03.staging/trials/0002.part/ being measured, or left by a kill
block-03.staging/trials/0002.attempt-1/ left by a kill, after the trial was repeated

Snakemake deletes the archive of a job that is cancelled or lost, even if all of it was measured. A
block that Snakemake measures therefore keeps its folder until Snakemake ends.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_write, file_hash
from remeasure.bench.campaign.members import pack
from remeasure.bench.campaign.record import TrialRecord


def require_locks(folder: Path) -> None:
    """Raises OSError if the file system of `folder` has no locks, while nothing is written yet. A
    missing folder is left to its maker."""
    if not folder.exists():
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    finally:
        os.close(descriptor)


class Staging:
    """The staging folder of a block, next to its final archive. One process uses it at a time;
    another one gets a UserError."""

    def __init__(self, archive: Path):
        self.archive = archive
        self.folder = archive.with_suffix(".staging")
        self.trials = self.folder / "trials"

    def __enter__(self) -> "Staging":
        self.trials.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self.archive.with_suffix(".lock"))
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise UserError(f"{self.folder}: another process is measuring this block") from None
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        Path(self._lock.lock_file).unlink(missing_ok=True)

    @property
    def finished(self) -> set[int]:
        """Order numbers of the trials that are finished."""
        records = self.trials.glob("[0-9][0-9][0-9][0-9]/trial.json")
        return {int(path.parent.name) for path in records}

    def begin(self, order: int, repeats: bool = False) -> tuple[Path, int]:
        """Make an empty folder for a trial. Returns it, and the number of the attempt (from 1).
        Remains of an interrupted attempt are kept, unless a trial `repeats`: the next attempt then
        has the same, and more."""
        part = self._part(order)
        if repeats and part.exists():
            shutil.rmtree(part)
        attempt = 1 + len(list(self.trials.glob(f"{order:04d}.attempt-*")))
        if part.exists():
            part.rename(self.trials / f"{order:04d}.attempt-{attempt}")
            attempt += 1
        part.mkdir()
        return part, attempt

    def finish(self, order: int, record: TrialRecord) -> None:
        """Complete a trial: write its record with the hashes of its files, and give the folder its
        final name."""
        part = self._part(order)
        members = {path.name: file_hash(path) for path in sorted(part.iterdir())}
        write_json(part / "trial.json", {**record, "members": members})
        part.rename(self.trials / f"{order:04d}")

    def read_block(self) -> dict[str, Any] | None:
        path = self.folder / "block.json"
        return json.loads(path.read_text()) if path.exists() else None

    def write_block(self, record: dict[str, Any]) -> None:
        write_json(self.folder / "block.json", record)

    def pack(self, keep: bool = False) -> None:
        """Write the archive, then remove the folder unless told to `keep` it."""
        pack(self.folder, self.archive)
        if not keep:
            shutil.rmtree(self.folder)

    def _part(self, order: int) -> Path:
        return self.trials / f"{order:04d}.part"


def remove_packed(archives: Iterable[str]) -> None:
    """Remove the folders of blocks whose archives are there. No process may measure them."""
    for archive in map(Path, archives):
        if archive.exists():
            shutil.rmtree(archive.with_suffix(".staging"), ignore_errors=True)


def write_json(path: Path, document: Mapping[str, object]) -> None:
    atomic_write(path, json.dumps(document, indent=1) + "\n")

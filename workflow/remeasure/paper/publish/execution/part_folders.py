"""The folder in which a notebook is executed, next to the folder for its results. Imports little,
since every start of Snakemake imports it."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from remeasure.bench.base.errors import UserError


def part_of(folder: Path) -> Path:
    """The working folder of a notebook with results in `folder`."""
    return folder.with_name(f".{folder.name}.part")


@contextmanager
def work_folder(folder: Path) -> Iterator[Path]:
    """An empty `part_of(folder)`, removed at the end. The name is unique, and relative: it appears
    in the page, which should not describe a machine. Raises UserError if another process uses
    it."""
    work = Path(os.path.relpath(part_of(folder)))
    if os.path.lexists(work) and not _remove(work):
        raise UserError(f"{work}: another process runs this notebook; wait for it to end")
    work.mkdir(parents=True)
    descriptor = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(descriptor)


def remove_parts(handed: str) -> list[str]:
    """Remove remains of killed notebooks in folder `handed`; returns their names."""
    found = sorted(part for part in Path(handed).glob(".*.part") if _remove(part))
    return [part.name.removeprefix(".").removesuffix(".part") for part in found]


def _remove(part: Path) -> bool:
    """Whether no process used it and it is removed."""
    if part.is_symlink() or not part.is_dir():
        part.unlink(missing_ok=True)
        return True
    descriptor = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(part, ignore_errors=True)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)

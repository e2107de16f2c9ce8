"""The folder in which a notebook is executed, next to the folder for its results, and remains of
earlier workflows. One workflow runs in a clone at a time (graph.clone.lock). Imports little, since
every start of Snakemake imports it."""

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def work_folder(folder: Path) -> Iterator[Path]:
    """The empty working folder of a notebook with results in `folder`, removed at the end. The name
    is unique, and relative: it appears in the page, which should not describe a machine."""
    work = Path(os.path.relpath(folder.with_name(f".{folder.name}.part")))
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def remove_parts(handed: str) -> list[str]:
    """Remove remains of killed notebooks in folder `handed`; returns their names."""
    found = sorted(Path(handed).glob(".*.part"))
    for part in found:
        shutil.rmtree(part)
    return [part.name.removeprefix(".").removesuffix(".part") for part in found]


def remove_others(folder: str, names: Collection[str]) -> None:
    """Remove folders and files in `folder` that a build of `names` does not make. An earlier build
    of other scenarios left them, and commands that read all of a build would take them for its."""
    for part in Path(folder).glob("*"):
        if part.stem in names:
            continue
        if part.is_dir():
            shutil.rmtree(part)
        else:
            part.unlink()

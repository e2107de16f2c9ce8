"""A ground for many faults of archives: the real command, in a process of its own that need not
import again what it needs."""

import contextlib
import multiprocessing
import os
import sys
from pathlib import Path

from blocks import smaller
from projects import Project

from grounds import GROUNDS, LIMIT_S, ArchiveGround, Said
from remeasure.bench.campaign.archive import BlockArchive

_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload(["pandas", "dpkt", "remeasure.cli", "remeasure.paper.tidy.tables"])


class TidyGround(ArchiveGround):
    """One block of a released campaign, small and real, at {block}; beside it nothing of the
    project. The process that runs the command is forked from one that has imported the package."""

    def __init__(self, folder: Path, shared: Path):
        self.project = Project(folder / "project")
        self.temporary = folder / "tmp"
        for made in (self.project.folder / "data", self.temporary):
            made.mkdir(parents=True)
        self.names = {"folder": str(folder)}
        self.prepare()

    def run(self, command: list[str], **options) -> Said:
        filled = [word.format(**self.names) for word in command]
        printed = self.project.folder.parent / "printed"
        process = _FORKED.Process(
            target=_remeasure, args=(filled, self.project.folder, printed, self.temporary)
        )
        process.start()
        process.join(LIMIT_S)
        if process.exitcode is None:
            process.kill()
            process.join()
        left = [f"temporary file: {path.name}" for path in self.temporary.iterdir()]
        left += [f"half-written: {path}" for path in self.project.folder.parent.rglob("*.part")]
        return Said(process.exitcode or 0, printed.read_text(), left)


def _remeasure(command: list[str], folder: Path, printed: Path, temporary: Path) -> None:
    """What the program `remeasure` does, in this process."""
    from remeasure.cli import main

    os.chdir(folder)
    os.environ["TMPDIR"] = str(temporary)
    sys.argv = command
    with printed.open("w") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    with contextlib.redirect_stdout(os.fdopen(1, "w", closefd=False)):
        main()


class FlowsGround(TidyGround):
    """The same with a block that has flows of D-ITG."""

    of = "lab-2026-11-quick/algorithm-sweep"


class PresentGround(TidyGround):
    """The same block in the present format of archives."""

    def prepare(self) -> None:
        super().prepare()
        present = self.block.with_suffix(".present")
        smaller(BlockArchive(self.block), present, lambda record: True)
        present.replace(self.block)


GROUNDS |= {
    "tidy": TidyGround,
    "tidy-flows": FlowsGround,
    "present": PresentGround,
}

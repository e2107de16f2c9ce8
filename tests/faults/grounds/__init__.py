"""Places of faults: copies that a fault may spoil, and how a command runs there."""

import contextlib
import importlib
import json
import os
import pkgutil
import re
import shutil
import sys
import uuid
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml
from projects import ROOT, Project, copy_project

from remeasure.bench.campaign.archive import BlockArchive

PROGRAMS = Path(__file__).parents[1] / "programs"
"""programs of grounds and faults"""
MARK = "REMEASURE_FAULT"
"""variable of the environment by which processes of one command are found"""
LIMIT_S = 300
"""time after which a command is taken to hang"""
_PASSING = re.compile(r"__pycache__|^\.snakemake|^\.secrets|\.staging|\.lock$|^data/raw(/test)?$")


class Said(NamedTuple):
    """The result of a command."""

    status: int
    output: str
    left: list[str]
    """processes and temporary files that are there after its end"""


@cache
def _pristine(folder: Path) -> Path:
    """The project without its raw data, once for each process that runs tests."""
    copy_project(folder, without=("data/raw/", "data/tidy/", "tests/", "docs/"))
    return folder


def _at_top(folder: Path, name: str):
    """For shutil.copytree: leave out one folder directly in another."""
    return lambda at, _: [name] if Path(at) == folder else []


class Ground:
    """A copy of the project without raw data."""

    def __init__(self, folder: Path, shared: Path):
        """`folder`: empty, only of this fault; `shared`: of all faults of this process."""
        pristine = _pristine(shared / "pristine")
        copy, workflow = folder / "project", "workflow"
        shutil.copytree(pristine, copy, symlinks=True, ignore=_at_top(pristine, workflow))
        # Code is most of a project, and no fault spoils it: its files are linked.
        shutil.copytree(pristine / workflow, copy / workflow, copy_function=os.link)
        self.project = Project(copy)
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.names = {"python": sys.executable, "folder": str(folder), "tests": str(ROOT / "tests")}
        self.prepare()

    def prepare(self) -> None:
        """Additions of this kind of ground to a copy of the project."""

    def sabotage_no_more(self) -> None:
        """Nothing is injected from now on."""

    def run(self, command: list[str], **options) -> Said:
        mark = uuid.uuid4().hex
        self.project.environment |= {"TMPDIR": str(self.temporary), MARK: mark}
        filled = [word.format(**self.names) for word in command]
        self.process = process = self.project.start(*filled, start_new_session=True, **options)
        output, _ = process.communicate(timeout=LIMIT_S)
        left = [f"process: {name}" for name in _processes(mark)]
        left += [f"temporary file: {path.name}" for path in self.temporary.iterdir()]
        left += [
            f"half-written: {path.relative_to(self.project.folder)}"
            for path in (self.project.folder / "results").rglob("*.part")
        ]
        return Said(process.returncode, output, left)

    def files(self) -> set[str]:
        """Files of the copy that matter: without caches, and without a block's folder to go on
        from."""
        folder = self.project.folder
        found = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
        return {name for name in found if not _PASSING.search(name)}


class LabGround(Ground):
    """A lab of real guests, in which block 1 of scenario `small` (tests/measure/small.yaml, one
    cell) is measured for campaign `test`."""

    scenario = ROOT / "tests/measure/small.yaml"
    cell = {"network": "plain"}
    probes: tuple[str, ...] = ()
    """kept probes of the scenario; all if none is named"""
    blocks = 1

    def prepare(self) -> None:
        document = yaml.safe_load(self.scenario.read_text()) | {"blocks": self.blocks}
        document["only"] = {factor: [level] for factor, level in self.cell.items()}
        for probe in set(document["probes"]) - set(self.probes or document["probes"]):
            del document["probes"][probe]
        name = self.scenario.stem
        path = self.project.scenario(name)
        path.write_text(yaml.safe_dump(document, sort_keys=False))
        self.block = self.project.folder / f"data/raw/test/{name}/block-01.zip"
        self.names["saboteur"] = str(PROGRAMS / "saboteur.py")

    def sabotage(
        self, during: str, after_s: float, wanted: dict, each_attempt: bool = False
    ) -> None:
        """Have the saboteur inject while probe `during` runs for the first time, or for the first
        time in each attempt at the trial."""
        plan = {"during": during, "after_s": after_s, "inject": wanted}
        plan |= {"each_attempt": each_attempt}
        self.project.environment["REMEASURE_SABOTAGE"] = json.dumps(plan)

    def sabotage_no_more(self) -> None:
        self.project.environment.pop("REMEASURE_SABOTAGE", None)

    def trials(self) -> list[dict]:
        return [dict(trial.record) for trial in BlockArchive(self.block).trials]


def _processes(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            marked = f"{MARK}={mark}".encode() in (process / "environ").read_bytes()
            if marked and int(process.name) != os.getpid():
                found.append((process / "cmdline").read_text().replace("\0", " ").strip())
    return [name for name in found if name]


GROUNDS: dict[str, type[Ground]] = {"project": Ground, "lab": LabGround}
"""name in the catalogue -> ground; each module next to this one adds its own"""


def known() -> dict[str, type[Ground]]:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return GROUNDS

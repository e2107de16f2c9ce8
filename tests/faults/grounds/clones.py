"""Grounds whose commands begin with env/run, and know nothing of the environment of the tests."""

import sys
from pathlib import Path

import pytest
from environments import bring_environment, has_environment, without_environment
from projects import ROOT, Project

from grounds import GROUNDS, LabGround
from remeasure.bench.base.paths import CACHE


class Clone(LabGround):
    """A copy of the project in a folder with a difficult name, without an environment: env/run
    makes one there."""

    def prepare(self) -> None:
        super().prepare()
        self.project = without_environment(
            Project(self.project.folder.rename(self.temporary.parent / "clône mit späces"))
        )
        self.names |= {"python_folder": str(Path(sys.executable).parent), "cache": str(CACHE)}


class BuiltClone(Clone):
    """A clone with its environment."""

    def prepare(self) -> None:
        super().prepare()
        if not has_environment():
            pytest.skip("no .venv here: run through env/run")
        bring_environment(ROOT, self.project.folder)


GROUNDS |= {"clone": Clone, "built-clone": BuiltClone}

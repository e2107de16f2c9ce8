"""A ground without an environment: env/run makes one there."""

import os
import sys
from pathlib import Path

from projects import Project

from grounds import GROUNDS, LabGround


class Clone(LabGround):
    """A copy of the project in a folder whose name is not easy; nothing of this environment is
    known to its commands."""

    def prepare(self) -> None:
        super().prepare()
        self.project = Project(
            self.project.folder.rename(self.temporary.parent / "clône mit späces")
        )
        ours = str(Path(sys.executable).parent)
        folders = [one for one in os.environ["PATH"].split(":") if one != ours]
        self.project.environment["PATH"] = ":".join(folders)
        for name in ("PYTHONPATH", "VIRTUAL_ENV"):
            self.project.environment.pop(name, None)


GROUNDS["clone"] = Clone

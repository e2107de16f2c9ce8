"""Faults of what is installed."""

import os
from pathlib import Path

from injections import injection


@injection
def program_gone(ground, name: str) -> None:
    """A PATH with all programs but one."""
    folder = ground.project.folder.parent / "programs"
    folder.mkdir()
    for place in reversed(ground.project.environment["PATH"].split(":")):
        for program in Path(place).glob("*"):
            link = folder / program.name
            link.unlink(missing_ok=True)
            if program.name != name and os.access(program, os.X_OK):
                link.symlink_to(program)
    ground.project.environment["PATH"] = str(folder)

"""Copies of a project that bring their environment along, as `cp -a` of a built clone does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from projects import ROOT, Project


def bring_environment(source: Path, target: Path) -> None:
    """Copy the environment of `source`. A gigabyte of unchanged files is linked; files that env/run
    looks at are not."""
    subprocess.run(["cp", "-al", source / ".venv", target / ".venv"], check=True)
    for name in ("ready", "bin/remeasure"):
        path = target / ".venv" / name
        path.unlink()
        shutil.copy2(source / ".venv" / name, path)


def without_environment(project: Project) -> Project:
    """The project for commands that begin with env/run: they know nothing of the environment that
    runs the tests."""
    ours = str(Path(sys.executable).parent)
    folders = [one for one in os.environ["PATH"].split(":") if one != ours]
    project.environment["PATH"] = ":".join(folders)
    for name in ("PYTHONPATH", "VIRTUAL_ENV"):
        project.environment.pop(name, None)
    return project


def has_environment() -> bool:
    return (ROOT / ".venv/ready").exists()

"""A copy of the project that a test may change, and commands in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from remeasure.bench.base.paths import STAMP

ROOT = Path(__file__).parents[1]
LEFT = ROOT / "tests/fixtures/campaigns"
"""first blocks of released campaigns that have left the tree; readers may have these archives"""


class Project:
    """A working copy: the files git knows, nothing built; and our modules as env/run compiled them,
    which every process would compile again where Python may not write the result."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{folder}/workflow:{folder}",
        }

    def start(self, *command: str, **options) -> subprocess.Popen:
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **options,
        )

    def scenario(self, name: str) -> Path:
        """The file of a scenario, in a folder that is made if need be."""
        folder = self.folder / "notebooks" / name.replace("-", "_")
        folder.mkdir(exist_ok=True)
        return folder / "scenario.yaml"

    def copy_notebook(self, of: str, name: str) -> None:
        """Give scenario `name` the notebook of another one, with all files next to it."""
        for path in (self.folder / "notebooks" / of).iterdir():
            to = self.scenario(name).parent / path.name.replace(of, name.replace("-", "_"))
            if path.is_file() and not to.exists():
                shutil.copy(path, to)

    def run(self, *command: str) -> tuple[int, str]:
        """Exit status and everything printed."""
        process = self.start(*command)
        output, _ = process.communicate()
        return process.returncode, output

    def planned(self, *settings: str) -> set[str]:
        """The files that a run of Snakemake would make."""
        command = ("snakemake", "--dry-run", "--quiet", "host")
        status, output = self.run(*command, *(("--config", *settings) if settings else ()))
        assert status == 0, output
        lines = (line.strip() for line in output.splitlines())
        made = (line.partition(":")[2] for line in lines if line.startswith("output: "))
        return {file for files in made for file in files.replace(",", " ").split()}


def files_of_project() -> list[str]:
    """Files that git knows, and new ones that it does not ignore, relative to the project."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).exists()]


def commit_all(folder: Path) -> str:
    """A new repository of all files in a folder. Returns the name of its commit."""
    (folder / STAMP.name).unlink(missing_ok=True)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "m"]):
        subprocess.run(["git", "-C", folder, *arguments], check=True)
    head = ["git", "-C", folder, "rev-parse", "HEAD"]
    return subprocess.check_output(head, text=True).strip()


def copy_project(folder: Path, without: tuple[str, ...] = ()) -> Project:
    """`without`: beginnings of names that are left out."""
    compiled = (str(path.relative_to(ROOT)) for path in (ROOT / "workflow").rglob("*.pyc"))
    for name in [*files_of_project(), *compiled]:
        if not name.startswith(without or "\0"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    # A campaign begins from a commit, and a copy of files has none.
    (folder / STAMP.name).write_text("copy")
    return Project(folder)


def build_project(folder: Path) -> Project:
    """A copy in which all is built from released data. It begins with the build in this folder,
    which Snakemake takes if it is up to date."""
    project = copy_project(folder)
    for made in ("results", ".snakemake/metadata"):
        if (ROOT / made).exists():
            shutil.copytree(ROOT / made, folder / made)
    status, output = project.run("snakemake", "--cores", "2")
    assert status == 0, output
    return project

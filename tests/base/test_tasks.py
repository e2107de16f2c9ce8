"""`env/run --help`: the tasks of a maintainer, which exist."""

import re
import subprocess

from typer.main import get_command

from remeasure.bench.base.paths import ROOT
from remeasure.cli import app


def env_run(folder, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([folder / "env/run", *arguments], capture_output=True, text=True)


def test_tasks_are_listed_without_an_environment(project):
    listed = env_run(project.folder, "--help")
    assert listed.returncode == 0, listed.stderr
    assert not (project.folder / ".venv").exists()
    tasks = re.findall(r"  (env/run .*)", listed.stdout)
    assert len(tasks) > 9
    commands = {name for task in tasks for name in re.findall(r"remeasure (\w+)", task)}
    assert commands and commands <= set(get_command(app).commands)
    for file in re.findall(r"(?:python|--ignore) (\S+)", listed.stdout):
        assert (ROOT / file).exists(), file


def test_without_a_command_it_says_how_it_is_used(project):
    for arguments, message in (
        ((), "usage: env/run COMMAND"),
        (("--hepl",), "unknown option --hepl"),
    ):
        said = env_run(project.folder, *arguments)
        assert said.returncode == 1 and message in said.stderr
        assert said.stderr.count("\n") == 1
    assert not (project.folder / ".venv").exists()

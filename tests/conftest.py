"""A copy of the project that a test may change, and commands in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "fixtures"


class Project:
    """A working copy: the files git knows, nothing built."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "workflow"),
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

    def run(self, *command: str) -> tuple[int, str]:
        """Exit status and everything printed."""
        process = self.start(*command)
        output, _ = process.communicate()
        return process.returncode, output


FIRST = (
    "workflow",
    "testbed/test_machines.py",
    "measure/test_eap_trials.py",
    "measure/test_interrupted_block.py",
    "lab/test_netns.py",
    "measure/test_several_processors.py",
    "measure/test_new_suite.py",
    "measure/test_ftp_trials.py",
)
"""groups of tests that take longest, longest first"""


def group_of(name: str) -> str:
    """Tests that stay in one process: a module, since its tests share what is measured for them;
    and all of tests/workflow, which share what is built."""
    file = name.partition("::")[0].removeprefix("tests/")
    return "workflow" if file.startswith("workflow/") else file


class ByGroup(LoadScopeScheduling):
    """Two processes share the tests (pytest-xdist), group by group."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def pytest_xdist_make_scheduler(config, log) -> ByGroup:
    return ByGroup(config, log)


def pytest_collection_modifyitems(items) -> None:
    def place(item) -> int:
        group = group_of(item.nodeid)
        return FIRST.index(group) if group in FIRST else len(FIRST)

    items.sort(key=place)


@pytest.fixture
def fixture():
    """The bytes of a file under tests/fixtures: real tool output, by tool and version."""
    return lambda name: (FIXTURES / name).read_bytes()


@pytest.fixture
def project(tmp_path) -> Project:
    return _copy(tmp_path / "project")


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory) -> Project:
    return _copy(tmp_path_factory.mktemp("shared") / "project")


@pytest.fixture(scope="session")
def built_project(tmp_path_factory) -> Project:
    """Built once, from released data, for all tests that look at what is built."""
    project = _copy(tmp_path_factory.mktemp("built") / "project")
    status, output = project.run("snakemake", "--cores", "2")
    assert status == 0, output
    return project


@pytest.fixture
def built_copy(built_project, tmp_path) -> Project:
    """What is built, to be changed."""
    return Project(shutil.copytree(built_project.folder, tmp_path / "project"))


def _copy(folder: Path) -> Project:
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, files.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return Project(folder)

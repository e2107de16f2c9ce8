"""A copy of the project that a test may change, and commands in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
    "built",
    "test_machines",
    "test_eap_trials",
    "test_interrupted_block",
    "test_netns",
    "test_several_processors",
    "test_new_suite",
    "test_ftp_trials",
)
"""groups of tests that take longest, longest first"""


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items) -> None:
    """Two processes share the tests (pytest-xdist). A module stays in one of them, since its tests
    share what is measured for them, and so do all tests of what is built. What takes longest
    begins first."""

    def place(item) -> int:
        return FIRST.index(group[item]) if group[item] in FIRST else len(FIRST)

    group = {
        item: "built" if "built_project" in item.fixturenames else item.module.__name__
        for item in items
    }
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group[item]))
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

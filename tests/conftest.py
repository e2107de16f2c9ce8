"""Copies of the project for tests, and which process runs which test."""

import os
import shutil
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from projects import Project, build_project, copy_project
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "fixtures"
AGAIN = "workflow/again"
OF_SECOND_BUILD = ("workflow/test_additions.py", "workflow/test_new_scenario.py")
"""modules that share a second build, which takes minutes; their group is AGAIN"""
FAULTS = "faults/test_catalogue.py"
FIRST = (
    AGAIN,
    "testbed/test_machines.py",
    "measure/test_interrupted_block.py",
    "measure/test_virtual_blocks.py",
    "workflow/test_workflow.py",
    "workflow/test_site.py",
    "measure/test_eap_trials.py",
    "lab/test_netns.py",
    "ipsec/test_events.py",
    "workflow/test_schedule.py",
    "notebook/test_few_trials.py",
    "measure/test_lab_script.py",
    "measure/test_repeat_at_commit.py",
    "measure/test_ipv6_trials.py",
)
"""groups of tests that take longest, longest first"""


def group_of(name: str) -> str:
    """Tests that stay in one process: a module, since its tests share measurements; and the modules
    that share a second build. Faults share only the requirements of a lab."""
    file = name.partition("::")[0].removeprefix("tests/")
    if file == FAULTS and "[" in name:
        return name
    return AGAIN if file in OF_SECOND_BUILD else file


class ByGroup(LoadScopeScheduling):
    """Several processes share the tests (pytest-xdist), group by group."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def pytest_addoption(parser) -> None:
    parser.addoption("--whole-catalogue", action="store_true", help="every test and fault")
    parser.addoption(
        "--slow",
        action="store_true",
        help="tests that take long too, and more faults, as .ci/run does",
    )
    parser.addoption(
        "--examples",
        type=int,
        metavar="N",
        help="examples of each property test, other ones each time; without it, the same few",
    )


def pytest_configure(config) -> None:
    """How many examples hypothesis tries."""
    count = config.getoption("--examples", None)
    settings.register_profile(
        "project",
        max_examples=count or 25,
        derandomize=count is None,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    settings.load_profile("project")


def pytest_xdist_make_scheduler(config, log) -> ByGroup:
    return ByGroup(config, log)


def pytest_collection_modifyitems(config, items) -> None:
    everything = config.getoption("--whole-catalogue")
    asked = {"slow": everything or config.getoption("--slow"), "whole": everything}
    for mark, option in (("slow", "--slow"), ("whole", "--whole-catalogue")):
        skip = pytest.mark.skip(reason=f"takes long: {option}")
        for item in items:
            if mark in item.keywords and not asked[mark]:
                item.add_marker(skip)

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
    return copy_project(tmp_path / "project")


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory) -> Project:
    return copy_project(tmp_path_factory.mktemp("shared") / "project")


@pytest.fixture(scope="session")
def built_project(tmp_path_factory) -> Project:
    """Built once, from released data, for all tests of all processes that look at a build. They
    leave it unchanged."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    done = shared / "built/done"
    with FileLock(shared / "built.lock"):
        if not done.exists():
            shutil.rmtree(done.parent, ignore_errors=True)
            build_project(done.with_name("project"))
            done.touch()
    return Project(done.with_name("project"))


@pytest.fixture
def built_copy(built_project, tmp_path) -> Project:
    """A build, to be changed."""
    return Project(shutil.copytree(built_project.folder, tmp_path / "project"))

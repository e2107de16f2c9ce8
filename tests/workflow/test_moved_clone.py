"""A built clone that is copied, moved or reached by a link works on the files that are there."""

from pathlib import Path

import pytest
from environments import (
    bring_environment,
    copy_clone,
    has_environment,
    spoil_code,
    without_environment,
)
from projects import ROOT, Project, copy_project
from real_guests import add_small_scenario

from remeasure.bench.campaign.archive import BlockArchive

pytestmark = [
    pytest.mark.lab,
    pytest.mark.slow,
    pytest.mark.skipif(not has_environment(), reason="no .venv here: run through env/run"),
]
MEASURE = ["measure", "mine", "small", "1", "--profile", "smoke", "--testbed", "virtual"]


def state_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Each file and folder -> size [bytes] and time of its last change [ns]."""
    stats = {str(path.relative_to(folder)): path.lstat() for path in folder.rglob("*")}
    return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats.items()}


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """A clone with its environment, and a campaign that was begun."""
    project = copy_project(tmp_path_factory.mktemp("clones") / "clone ü")
    add_small_scenario(project, "latency", one_cell=True)
    bring_environment(ROOT, project.folder)
    begun = project.folder / "data/raw/mine"
    begun.mkdir()
    (begun / ".lock").touch()
    return project.folder


@pytest.fixture(scope="module")
def copied(original) -> tuple[Path, dict[str, tuple[int, int]]]:
    """A copy, and the state of the original since then, whose code fails from now on."""
    copy = original.with_name("copy of it")
    copy_clone(original, copy)
    spoil_code(original)
    return copy, state_of(original)


def run(folder: Path, *command: str) -> str:
    project = without_environment(Project(folder))
    status, output = project.run(str(folder / "env/run"), *command)
    assert status == 0, output
    return output


def test_a_copy_measures_into_itself(original, copied):
    copy, before = copied
    assert "making" not in run(copy, "remeasure", *MEASURE)
    block = copy / "data/raw/mine/small/block-01.zip"
    (trial,) = BlockArchive(block).trials
    assert trial.record["verdict"] == "accepted"
    assert state_of(original) == before


def test_a_copy_writes_its_own_files(original, copied):
    copy, before = copied
    schemas = run(copy, "remeasure", "schema").splitlines()
    assert schemas and all(str(copy) in path for path in schemas if path.startswith("/"))
    found = run(copy, "python", "-c", "import remeasure as r, sys; print(r.__file__, sys.prefix)")
    assert found.strip() == f"{copy}/workflow/remeasure/__init__.py {copy}/.venv"
    for program in ("snakemake", "jupyter", "pytest"):
        assert str(original) not in (copy / ".venv/bin" / program).read_text()
    assert state_of(original) == before


def test_a_clone_that_was_moved_and_one_behind_a_link(original, copied):
    copy, before = copied
    moved = copy.rename(copy.with_name("moved"))
    link = copy.with_name("link")
    link.symlink_to(moved)
    for folder in (moved, link):
        found = run(
            folder, "python", "-c", "from remeasure.bench.base.paths import ROOT; print(ROOT)"
        )
        assert found.strip() == str(moved)
        assert run(folder, "snakemake", "--version")
    moved.rename(copy)
    assert state_of(original) == before

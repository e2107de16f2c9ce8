"""A block in virtual time is measured again by the commit that measured it, though the code has
changed since."""

import subprocess

import pytest
from environments import bring_environment, has_environment
from projects import ROOT, copy_project
from real_guests import add_small_scenario

from remeasure.bench.base.hashes import file_hash
from remeasure.bench.base.paths import CACHE
from remeasure.bench.campaign.repetitions import read_repetitions

pytestmark = [pytest.mark.lab, pytest.mark.slow]


def commit(folder) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "m"]):
        subprocess.run(["git", "-C", folder, *arguments], check=True)
    head = ["git", "-C", folder, "rev-parse", "HEAD"]
    return subprocess.check_output(head, text=True).strip()


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A repository whose code records something else than when it measured: its project, and the
    block and its commit."""
    project = copy_project(
        tmp_path_factory.mktemp("commits") / "project", without=("data/raw", "data/tidy")
    )
    add_small_scenario(project, "latency", one_cell=True)
    if has_environment():
        bring_environment(ROOT, project.folder)
    first = commit(project.folder)
    order = ["vt", "small", "1", "--profile", "smoke", "--testbed", "virtual"]
    status, output = project.run("remeasure", "measure", *order)
    assert status == 0, output
    code = project.folder / "workflow/remeasure/bench/testbed/watching/facts.py"
    code.write_text(code.read_text().replace('"rmem_max"', '"rmem_most"'))
    commit(project.folder)
    return project, project.folder / "data/raw/vt/small/block-01.zip", first


def test_it_has_the_same_bytes_by_its_own_commit(measured):
    project, archive, first = measured
    before = file_hash(archive)
    status, output = project.run("remeasure", "repeat", "vt", "small", "1", "--record")
    assert status == 0 and "the same bytes again" in output, output
    assert f"commit {first[:12]}: making its environment" in output
    # env/run makes another one only where the commit describes another.
    assert ("env/run: making the Python environment" in output) != has_environment()
    (row,) = read_repetitions(project.folder / "data/captured/repeated.csv")[-1:]
    assert (row.campaign, row.same, row.released) == ("vt", "yes", before)
    assert row.software == first
    assert not list((CACHE / "repeat").glob(f"{first[:12]}-*")), "the commit's folder is gone"


def test_what_differs_is_said_first_where_the_present_code_measures(measured):
    project, _, first = measured
    status, output = project.run("remeasure", "repeat", "vt", "small", "1", "--with-present")
    assert status == 1
    said = output.index(f"commit: the block has {first}; 1 files of workflow, env, config, ")
    assert said < output.index("small block 1"), "before anything is measured"
    assert "not the same as" in output and "block.json, line" in output

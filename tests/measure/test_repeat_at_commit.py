"""A block in virtual time is measured again by the commit that measured it, though the code has
changed since."""

import subprocess

import pytest
from environments import bring_environment, has_environment
from projects import ROOT, commit_all, copy_project
from real_guests import add_small_scenario

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CACHE
from remeasure.bench.measure import repeat
from remeasure.bench.measure.block import BlockOrder
from remeasure.bench.measure.repeat import repeat_block


def test_a_block_of_real_time_is_refused():
    with pytest.raises(UserError, match=r"guests.virtual_clock: found False \(back end uml\)"):
        repeat_block("lab-2026-11-22", "calibration", 1, "virtual")


@pytest.mark.parametrize("software", ["unknown", "0" * 40, f"{'1' * 40}+"])
def test_a_commit_that_is_not_here_is_named(tmp_path, software):
    order = BlockOrder("mine", "small", 1, "smoke", "virtual", 1)
    with pytest.raises(UserError, match=rf"{software[:40]}.*--with-present$"):
        repeat._by_commit(order, tmp_path / "block-01.zip", software)
    assert not list((CACHE / "repeat").glob(f"{software[:12]}-*"))


@pytest.mark.lab
@pytest.mark.slow
def test_it_has_the_same_bytes_by_its_own_commit(tmp_path):
    project = copy_project(tmp_path / "project", without=("data/raw", "data/tidy"))
    add_small_scenario(project, "latency", one_cell=True)
    if has_environment():
        bring_environment(ROOT, project.folder)
    first = commit_all(project.folder)
    order = ["vt", "small", "1", "--profile", "smoke", "--testbed", "virtual"]
    status, output = project.run("remeasure", "measure", *order)
    assert status == 0, output
    code = project.folder / "workflow/remeasure/bench/testbed/watching/facts.py"
    code.write_text(code.read_text().replace('"rmem_max"', '"rmem_most"'))
    commit_all(project.folder)

    status, output = project.run("remeasure", "repeat", "vt", "small", "1")
    assert status == 0 and "the same bytes again" in output, output
    assert not list((CACHE / "repeat").glob(f"{first[:12]}-*")), "the commit's folder is gone"
    worktrees = subprocess.check_output(["git", "-C", project.folder, "worktree", "list"])
    assert len(worktrees.splitlines()) == 1

    status, output = project.run("remeasure", "repeat", "vt", "small", "1", "--with-present")
    assert status == 1
    assert "not the same as" in output and "block.json, line" in output

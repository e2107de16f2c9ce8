"""A bundle measures in another folder, without network, git, or caches of its user."""

import subprocess

import pytest
from environments import bring_environment, has_environment
from projects import ROOT, commit_all, copy_project
from real_guests import add_small_scenario

from remeasure.bench.campaign.archive import BlockArchive

BARE = ["unshare", "--net", "env", "-i", "HOME=/nonexistent", "PATH=/usr/bin:/bin"]


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.skipif(not has_environment(), reason="needs an environment that can be copied")
def test_a_bundle_measures_and_its_block_comes_home(tmp_path):
    project = copy_project(tmp_path / "project", without=("data/raw", "data/tidy"))
    add_small_scenario(project, "latency", one_cell=True)
    bring_environment(ROOT, project.folder)
    commit = commit_all(project.folder)
    subprocess.run([project.folder / "env/bundle/make", tmp_path / "lab.tar.gz"], check=True)
    subprocess.run(["tar", "xzf", tmp_path / "lab.tar.gz", "-C", tmp_path], check=True)

    lab = tmp_path / "lab"
    order = ["remeasure", "measure", "away", "small", "1", "--profile", "smoke"]
    subprocess.run([*BARE, "env/bundle/run", *order], cwd=lab, check=True)

    (project.folder / "data/raw").mkdir(exist_ok=True)
    (lab / "data/raw/away").rename(project.folder / "data/raw/away")
    archive = BlockArchive(project.folder / "data/raw/away/small/block-01.zip")
    # Other work on this machine may make it suspect.
    assert archive.trials[0].record["verdict"] in ("accepted", "suspect")
    assert archive.block["sessions"][0]["software"] == commit
    status, output = project.run("remeasure", "release", "away")
    assert status == 0, output


def test_a_clone_is_no_bundle():
    done = subprocess.run([ROOT / "env/bundle/run", "true"], capture_output=True, text=True)
    assert done.returncode == 1 and "found no .commit, expected an unpacked bundle" in done.stderr

"""A campaign of two rounds: measured, killed in the middle, gone on, looked at, finished; and
measured again on a machine that is taken for another one."""

import json
import os
import signal
import subprocess
import time

import pytest
import yaml
from projects import commit_all, copy_project
from rounds_project import SCENARIOS, add_rounds

from remeasure.bench.campaign.archive import BlockArchive

pytestmark = [pytest.mark.lab, pytest.mark.slow]
ROUND = ("remeasure", "round", "mine", "--profile", "rounds", "--wait", "2", "--commit")


def last_line(output: str) -> str:
    return output.strip().splitlines()[-1]


@pytest.fixture(scope="module")
def story(tmp_path_factory) -> dict:
    """Outputs of the commands, and files, at each station."""
    project = copy_project(tmp_path_factory.mktemp("rounds") / "p", without=("data/raw/", "tests/"))
    add_rounds(project)
    raw = project.folder / "data/raw"
    project.environment |= dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a")
    project.environment |= dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@a.org")
    found = {"project": project, "raw": raw / "mine"}
    for name in SCENARIOS:
        project.copy_notebook("template", name)
    commit_all(project.folder)
    # Killed with a signal once a block is there and the next one has begun.
    job = project.start(*ROUND)
    until = time.monotonic() + 200
    while {path.parent for path in raw.glob("mine/*/*.staging")} <= {
        path.parent for path in raw.glob("mine/*/*.zip")
    } or not list(raw.glob("mine/*/*.zip")):
        assert time.monotonic() < until and job.poll() is None, job.communicate()
        time.sleep(0.1)
    os.kill(job.pid, signal.SIGTERM)
    found["killed"] = job.communicate(timeout=60)[0]
    first = next(raw.glob("mine/*/*.zip"))
    found["kept"] = first, first.read_bytes()
    found["first round"] = project.run(*ROUND)
    command = ("snakemake", "--cores", "1", "results/mine/notebooks/small.html")
    found["preview"] = project.run(*command, "--config", "campaign=mine", "preview=true")
    pages = project.folder / "results/mine/notebooks/small.html"
    found["page"] = pages.read_text() if pages.exists() else ""
    found["second round"] = project.run(*ROUND)
    # A user who has moved to another machine.
    path = raw / "mine/campaign.yaml"
    path.write_text(path.read_text().replace("cpus: ", "cpus: 9"))
    found["changed"] = project.run(*ROUND)
    subprocess.run(
        ["git", "commit", "-qam", "move"], cwd=project.folder, check=True, env=project.environment
    )
    found["moved"] = project.run(*ROUND)
    return found


def test_a_killed_round_says_so_in_a_line_and_goes_on_where_it_stopped(story):
    assert "interrupted by SIGTERM; finished trials are kept in " in last_line(story["killed"])
    archive, content = story["kept"]
    assert story["first round"] == (0, story["first round"][1])
    assert last_line(story["first round"][1]) == "mine: 1 of 2 rounds measured"
    assert archive.read_bytes() == content
    assert last_line(story["second round"][1]) == "mine: all 2 rounds measured"


def test_every_trial_has_the_pace_and_blocks_are_in_the_drawn_order(story):
    plan = yaml.safe_load((story["raw"] / "campaign.yaml").read_text())["rounds"]["blocks"]
    assert sorted(block for one in plan for block in one) == sorted(
        f"{name}/{number}" for name in SCENARIOS for number in (1, 2)
    )
    starts = []
    for scenario, number in (block.split("/") for one in plan for block in one):
        archive = BlockArchive(story["raw"] / scenario / f"block-0{number}.zip")
        starts.append(archive.block["sessions"][0]["start_ns"])
        assert all(trial.record["pace_after_ns"] > 10**8 for trial in archive.trials)
    assert starts == sorted(starts)


def test_each_block_is_a_commit(story):
    log = subprocess.run(
        ["git", "log", "--format=%s", "--", "data/raw/mine"],
        cwd=story["project"].folder, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    measured = [line for line in log if line.startswith("Measure mine, round ")]
    assert len(measured) == 4 and log == ["move", *measured]


def test_a_page_of_an_unfinished_campaign_has_a_mark(story):
    assert story["preview"][0] == 0, story["preview"][1]
    assert "PREVIEW: mine, 1 of 2 rounds; do not cite" in story["page"]


def test_another_machine_measures_another_campaign_by_the_same_plan(story):
    status, output = story["changed"]
    said = (
        "mine-b begins from a commit without changes; found changes in data/raw/mine/campaign.yaml"
    )
    assert status == 1 and said in last_line(output)
    status, output = story["moved"]
    assert status == 0, output
    assert "this machine, " in output and "measures mine-b with the same plan" in output
    plans = [
        yaml.safe_load((story["raw"].parent / name / "campaign.yaml").read_text())
        for name in ("mine", "mine-b")
    ]
    assert plans[0]["rounds"] == plans[1]["rounds"] and plans[0]["machine"] != plans[1]["machine"]
    assert json.dumps(plans[0]["scenarios"]) == json.dumps(plans[1]["scenarios"])

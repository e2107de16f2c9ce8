"""Attempts at a block: put aside with reasons, counted by files, judged once."""

import json
import subprocess

import pytest

from remeasure.bench.campaign import attempts
from remeasure.bench.campaign.staging import Members, Staging


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "mine/small/block-01.zip"
    path.parent.mkdir(parents=True)
    return path


def test_attempts_are_files_which_every_clone_has(archive, tmp_path):
    for number in (1, 2):
        assert attempts.attempt_at(archive) == number
        archive.write_text(f"attempt {number}")
        kept = attempts.put_aside(archive, ["slow"])
        assert kept == tmp_path / f"mine/replaced/small/block-01.attempt-{number}.zip"
        assert json.loads(kept.with_suffix(".json").read_text()) == {"reasons": ["slow"]}
    assert not archive.exists()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", tmp_path / "mine"]
    for command in (["init", "-q"], ["add", "replaced"], ["commit", "-qm", "m"]):
        subprocess.run([*git, *command], check=True)
    subprocess.run(["git", "clone", "-q", tmp_path / "mine", tmp_path / "clone"], check=True)
    assert attempts.attempt_at(tmp_path / "clone/small/block-01.zip") == 3


def test_a_block_that_was_cut_short_is_kept_and_is_no_attempt(archive):
    staging = Staging(archive)
    (staging.trials / "0001").mkdir(parents=True)
    staging.write_block({"sessions": []})
    (staging.trials / "0001/trial.json").write_text("{}")
    kept = attempts.put_aside(archive, ["a pause"])
    assert kept.name == "block-01.cut-1.zip" and not staging.folder.exists()
    assert {*Members(kept)} == {"block.json", "trials/0001/trial.json"}
    assert attempts.attempt_at(archive) == 1


def test_a_block_is_judged_once_and_keeps_the_reasons_against_it(archive):
    assert not attempts.is_judged(archive)
    archive.write_text("first")
    assert not attempts.is_judged(archive)
    attempts.keep(archive, ["slow"])
    assert attempts.is_judged(archive)
    document = json.loads(attempts.judged_path(archive).read_text())
    assert (document["attempt"], document["reasons"]) == (1, ["slow"])
    archive.write_text("second")
    assert not attempts.is_judged(archive)

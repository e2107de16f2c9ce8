"""Verdicts by two commits: which campaigns can be judged, and a commit checked out on the side. The
comparison itself builds notebooks twice; it was run on released campaigns."""

import subprocess

import pytest
import yaml

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.base.worktree import checked_out
from remeasure.bench.campaign import folder
from remeasure.paper.publish.decided_then import compare_verdicts

HEAD = subprocess.run(
    ["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True
).stdout.strip()


def test_a_campaign_that_cannot_be_judged_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "RAW", tmp_path)
    with pytest.raises(UserError, match="campaign 'mine': not begun; measure it first"):
        compare_verdicts("mine")
    document = yaml.safe_load((RAW / "lab-2026-11-kinds/campaign.yaml").read_text())
    (tmp_path / "mine").mkdir()
    changed = document | {"software": f"{document['software']}+"}
    (tmp_path / "mine/campaign.yaml").write_text(yaml.safe_dump(changed))
    message = r"campaign.yaml: software: found [0-9a-f]{40}\+, expected a commit without changes"
    with pytest.raises(UserError, match=message):
        compare_verdicts("mine")


def test_a_commit_is_checked_out_and_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("remeasure.bench.base.worktree.CACHE", tmp_path)
    with checked_out(HEAD, "register") as found:
        assert found.parent == tmp_path / "register" and (found / "env/run").exists()
    assert not found.exists()
    listed = subprocess.run(["git", "-C", ROOT, "worktree", "list"], capture_output=True, text=True)
    assert str(found) not in listed.stdout
    with (
        pytest.raises(UserError, match="worktree add .* failed; get its history .*, or wait"),
        checked_out("0" * 40, "register", ", or wait"),
    ):
        pass

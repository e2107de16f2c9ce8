"""A file names, one by one, the files that measure and that decide; a campaign quotes it."""

import pytest
import yaml
from projects import commit_all

from remeasure.bench.base.files import file_hash
from remeasure.bench.base.paths import CONFIG
from remeasure.bench.campaign.rules_file import changed_rules

BEGIN = ("remeasure", "begin", "lab-7.1-b", "nat-t", "--profile=smoke")
DECISIONS = "workflow/remeasure/paper/analysis/decisions.py"


@pytest.mark.parametrize("path", sorted(CONFIG.glob("rules-*.json")), ids=lambda path: path.stem)
def test_registered_code_is_as_registered(path):
    version = path.stem.removeprefix("rules-")
    assert changed_rules(path) == [], f"on purpose: remeasure register --write {version}"


def test_code_is_registered_from_a_commit_and_quoted_by_campaigns_of_its_version(project):
    commit, file = commit_all(project.folder), project.folder / "config/rules-7.1.json"
    code = project.folder / DECISIONS
    before = code.read_text()
    code.write_text(before + "\n\nLATER = 1\n")
    status, output = project.run("remeasure", "register", "--write", "7.1")
    assert status == 1 and f"found changes in {DECISIONS}; commit or remove them" in output
    code.write_text(before)
    assert project.run("remeasure", "register", "--write", "7.1")[0] == 0
    # A comment is no code.
    code.write_text("# Written later.\n" + before)
    assert project.run(*BEGIN)[0] == 0
    campaign = project.folder / "data/raw/lab-7.1-b/campaign.yaml"
    quoted = {"file": file.name, "commit": commit, "sha256": file_hash(file)}
    assert yaml.safe_load(campaign.read_text())["rules_file"] == quoted
    code.write_text(before + "\n\nLATER = 1\n")
    status, output = project.run(*(word.replace("-b", "-c") for word in BEGIN))
    assert status == 1 and f"rules-7.1.json: {DECISIONS} is not as registered" in output
    assert "on purpose: remeasure register --write 7.1" in output
    assert project.run(*(word.replace("7.1-b", "7") for word in BEGIN))[0] == 0
    other = project.folder / "data/raw/lab-7/campaign.yaml"
    assert "rules_file" not in yaml.safe_load(other.read_text())

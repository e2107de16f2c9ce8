"""The workflow as a reader runs it, in copies of the project."""

import json
import re
import shutil
import zipfile

import pytest
import yaml

from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.formats import upgrade_campaign
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.paper.publish.findings import proposals, updated

CAMPAIGN = "data/raw/lab-2026-11-22"
OTHERS = [name for name in scenario_names() if name != "psk-rsa"]
"""not in the copy of that campaign"""


def snakemake(project, *arguments):
    return project.run("snakemake", "--cores", "2", *arguments)


def members_of(block):
    """Member of an archive -> its content."""
    with zipfile.ZipFile(block) as source:
        return {name: source.read(name) for name in source.namelist()}


def with_members(block, changed):
    """Write an archive anew with some members changed."""
    files = members_of(block) | changed
    with zipfile.ZipFile(block, "w") as target:
        for name, content in files.items():
            target.writestr(name, content)


def unreleased_copy(project):
    """Campaign `mine`: the released blocks of psk-rsa as if they had just been measured here."""
    released, campaign = project.folder / CAMPAIGN, project.folder / "data/raw/mine"
    shutil.copytree(released / "psk-rsa", campaign / "psk-rsa")
    for block in campaign.glob("*/*.zip"):
        document = json.loads(members_of(block)["block.json"]) | {"campaign": campaign.name}
        with_members(block, {"block.json": json.dumps(document).encode()})
    frozen = yaml.safe_load((released / "campaign.yaml").read_text())
    frozen["campaign"] = campaign.name
    frozen["scenarios"] = {"psk-rsa": frozen["scenarios"]["psk-rsa"]}
    (campaign / "campaign.yaml").write_text(yaml.safe_dump(frozen, sort_keys=False))
    # It began with the scenario as it was then; a campaign goes on with no other.
    document = upgrade_campaign(frozen)["scenarios"]["psk-rsa"]
    (project.folder / "notebooks/psk_rsa/scenario.yaml").write_text(
        yaml.safe_dump(document, sort_keys=False)
    )
    return campaign


@pytest.mark.slow
def test_the_same_numbers_give_the_same_paper(built_project, built_copy):
    shutil.rmtree(built_copy.folder / "results/paper")
    (built_copy.folder / "results/paper.pdf").unlink()
    status, output = snakemake(built_copy, "results/paper.pdf")
    assert status == 0, output
    papers = [(of.folder / "results/paper.pdf").read_bytes() for of in (built_project, built_copy)]
    assert papers[0] == papers[1]


def test_paper_and_notebook_are_built(built_project):
    results = built_project.folder / "results"
    assert (results / "paper.pdf").read_bytes().startswith(b"%PDF")
    for name in scenario_names():
        page = results / f"notebooks/{name.replace('-', '_')}.html"
        assert "<table" in page.read_text(), page
    assert not list(results.rglob("*.part"))


def test_the_readme_shows_and_says_what_is_built(built_project):
    figure = built_project.folder / "results/handed/claims/figures/claims-effects.svg"
    shown = (built_project.folder / "docs/effects.svg").read_text()
    assert shown == figure.read_text(), f"copy {figure.name} of the notebook to docs/effects.svg"
    handed = sorted((built_project.folder / "results/handed").glob("*"))
    text = (ROOT / "README.md").read_text()
    assert updated(text, ROOT / "README.md", handed) == text, "run: env/run remeasure readme"
    for path, made in proposals(ROOT / "site", handed).items():
        assert path.read_text() == made, "run: env/run remeasure readme"


def test_a_second_run_does_nothing(built_project):
    status, output = snakemake(built_project)
    assert status == 0
    assert "Nothing to be done" in output


@pytest.mark.parametrize("harm", ["removed", "altered"])
def test_a_released_block_that_is_not_as_released_is_named(project, harm):
    block = project.folder / CAMPAIGN / "psk-rsa/block-02.zip"
    if harm == "removed":
        block.unlink()
    else:
        block.write_bytes(block.read_bytes()[:-1] + b"x")
    status, output = snakemake(project)
    assert status != 0
    assert "block-02.zip" in output and "released" in output
    assert not (project.folder / "results").exists()


def test_a_new_campaign_without_profile_is_one_clear_message(project):
    status, output = snakemake(project, "--config", "campaign=mine")
    assert status != 0
    assert "campaign 'mine' has no blocks yet" in output
    assert "profile=smoke|quick|paper" in output


@pytest.mark.slow
def test_a_scenario_can_be_left_out(project):
    status, output = snakemake(project, "--dry-run", "--config", "without=per-cpu-sas")
    jobs = dict(line.split() for line in output.splitlines() if line.startswith("notebook "))
    scenarios = yaml.safe_load((project.folder / "config/config.yaml").read_text())["scenarios"]
    assert status == 0 and int(jobs["notebook"]) == len(scenarios) - 1, output
    status, output = snakemake(project, "--dry-run", "--config", "without=per-cpu")
    assert status != 0 and "without: no scenario 'per-cpu'" in output


def test_only_missing_blocks_are_measured(project):
    """Whatever else is given: a block that is there is nobody's output."""
    campaign = unreleased_copy(project)
    for block in ("02", "07"):
        (campaign / f"psk-rsa/block-{block}.zip").unlink()
    status, output = snakemake(project, "--dry-run", "--forceall", "--config", "campaign=mine")
    assert status == 0, output
    planned = sum(load_scenario(s, "paper").design.blocks for s in OTHERS)
    jobs = dict(line.split() for line in output.splitlines() if line.startswith("measure"))
    assert int(jobs["measure"]) == 2 + planned, output
    assert (campaign / "psk-rsa/block-01.zip").exists()


def test_a_campaign_name_with_other_settings_is_one_clear_message(project):
    status, output = snakemake(project, "--config", "profile=smoke")
    assert status != 0 and "begun with profile paper, found profile=smoke" in output
    unreleased_copy(project)
    status, output = snakemake(project, "--config", "campaign=mine", "seed=1")
    assert status != 0 and "seed: then 2026, now 1" in output


@pytest.mark.slow
def test_a_damaged_log_is_named_with_its_line(project):
    """A campaign of one's own whose log was cut: the archive, the log and the line are named."""
    campaign = unreleased_copy(project)
    block = campaign / "psk-rsa/block-01.zip"
    files = members_of(block)
    log = next(n for n in files if n.startswith("trials/0001/") and n.endswith("latency-01.log"))
    with_members(block, {log: files[log][: len(files[log]) // 2]})
    tables = "results/tidy/psk-rsa/trials.parquet"
    status, output = snakemake(project, tables, "--config", "campaign=mine")
    assert status != 0
    assert f"block-01.zip/{log}:" in output and "is the file cut?" in output
    assert not list((project.folder / "results").rglob("*.parquet*"))


def test_the_paper_prints_each_macro_or_states_something_of_it(built_project):
    defined = (built_project.folder / "results/paper/numbers.tex").read_text()
    text = "".join(path.read_text() for path in (ROOT / "paper").rglob("*.tex"))
    names = re.findall(r"\\newcommand\{\\([A-Za-z]+)\}", defined)
    used = {*re.findall(r"[A-Za-z]+", text)}
    assert names and [name for name in names if name not in used] == []

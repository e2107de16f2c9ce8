"""The workflow as a reader runs it, in copies of the project."""

import re
import shutil

import pytest

from remeasure.bench.base.names import scenario_names
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.paper.publish.findings import pages_in_docs, updated


def snakemake(project, *arguments):
    status, output = project.run("snakemake", "--cores", "2", *arguments)
    assert status == 0, output
    return output


@pytest.mark.slow
def test_the_same_numbers_give_the_same_paper(built_project, built_copy):
    shutil.rmtree(built_copy.folder / "results/paper")
    (built_copy.folder / "results/paper.pdf").unlink()
    (left := built_copy.folder / "results/notebooks/suite_cost.html").touch()
    snakemake(built_copy, "results/paper.pdf")
    papers = [(of.folder / "results/paper.pdf").read_bytes() for of in (built_project, built_copy)]
    assert papers[0] == papers[1] and not left.exists(), "of another build"


def test_the_readme_shows_and_says_what_is_built(built_project):
    figure = built_project.folder / "results/handed/claims/figures/claims-forest.svg"
    shown = (built_project.folder / "docs/effects.svg").read_text()
    assert shown == figure.read_text(), f"copy {figure.name} of the notebook to docs/effects.svg"
    handed = sorted((built_project.folder / "results/handed").glob("*"))
    for readme in ROOT.glob("README*.md"):
        text = readme.read_text()
        assert updated(text, readme, handed) == text, f"run: remeasure readme --path {readme.name}"
    for path, made in pages_in_docs(handed).items():
        assert path.read_text() == made, "run: env/run remeasure readme"


def test_only_missing_blocks_are_measured(project):
    """Whatever else is given: a block that is there is nobody's output."""
    block = project.folder / "data/raw/mine/psk-rsa/block-01.zip"
    block.parent.mkdir(parents=True)
    block.touch()
    mine = ("--config", "campaign=mine", "profile=quick")
    output = snakemake(project, "--dry-run", "--forceall", *mine)
    planned = sum(load_scenario(name, "quick").design.blocks for name in scenario_names())
    assert int(re.search(r"\nmeasure +(\d+)", output)[1]) == planned - 1, output


def test_the_paper_prints_each_macro_or_states_something_of_it(built_project):
    defined = (built_project.folder / "results/paper/numbers.tex").read_text()
    text = "".join(path.read_text() for path in (ROOT / "paper").rglob("*.tex"))
    names = re.findall(r"\\newcommand\{\\([A-Za-z]+)\}", defined)
    used = {*re.findall(r"[A-Za-z]+", text)}
    assert names and [name for name in names if name not in used] == []

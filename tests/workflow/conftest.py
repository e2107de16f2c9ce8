"""A scenario that is added to a copy of the project, and all that is built a second time with
it."""

import json
import shutil
from dataclasses import dataclass

import pytest
from nbformat.v4 import new_code_cell
from projects import Project, copy_project

NAME, PAGE = "slow-link-2", "results/notebooks/slow_link_2.html"
LITTLE = "smoke: {network: [rate-24]}"


def add_scenario(project: Project) -> Project:
    """calibration under another name, with one rate changed."""
    scenarios, notebooks = project.folder / "config/scenarios", project.folder / "notebooks"
    text = (scenarios / "calibration.yaml").read_text()
    assert "rate: 24mbit" in text
    (scenarios / f"{NAME}.yaml").write_text(text.replace("rate: 24mbit", "rate: 34mbit"))
    shutil.copy(notebooks / "calibration.ipynb", notebooks / "slow_link_2.ipynb")
    return project


@pytest.fixture
def with_scenario(project) -> Project:
    return add_scenario(project)


@dataclass
class SecondBuild:
    """A copy that was built in four steps: a notebook failed when it had handed over a figure, and
    was mended; the added scenario
    was measured; all was built, the scenario among it; and from what was there the paper again,
    without the scenario."""

    project: Project
    failed: tuple[int, str]
    """status and output when the notebook failed"""
    left: list[str]
    """its files then"""
    measured: tuple[int, str]
    """status and output of the command that measured the scenario and made its page"""
    page: bool
    """whether the page was there then"""
    built: tuple[int, str]
    """status and output when all was built"""
    paper: bool
    """whether the paper was there then"""


@pytest.fixture(scope="session")
def built_again(tmp_path_factory) -> SecondBuild:
    project = copy_project(tmp_path_factory.mktemp("again") / "project")
    path = project.folder / "notebooks/psk_rsa.ipynb"
    whole = path.read_text()
    notebook = json.loads(whole)
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    after = next(i for i, source in enumerate(sources) if "results.figure(" in source) + 1
    notebook["cells"].insert(after, new_code_cell("raise ValueError('no such luck')"))
    path.write_text(json.dumps(notebook))
    failed = project.run("snakemake", "--cores", "2", "results/notebooks/psk_rsa.html")
    left = [p.as_posix() for p in (project.folder / "results").rglob("*psk_rsa*")]
    path.write_text(whole)

    add_scenario(project)
    scenario = project.folder / f"config/scenarios/{NAME}.yaml"
    text = scenario.read_text()
    assert "smoke: {network: [normal, delay-10]}" in text
    scenario.write_text(text.replace("smoke: {network: [normal, delay-10]}", LITTLE))
    mine = ("--config", "campaign=mine", "profile=smoke")
    measured = project.run("snakemake", "--cores", "2", PAGE, *mine)
    page = (project.folder / PAGE).exists()
    settings = project.folder / "config/config.yaml"
    usual = settings.read_text()
    settings.write_text(f"{usual}  {NAME}: mine\n")
    built = project.run("snakemake", "--cores", "2")
    paper = (project.folder / "results/paper.pdf").exists()
    settings.write_text(usual)
    # Its table of campaigns had the scenario.
    status, output = project.run(
        "snakemake", "--cores", "2", "results/paper.pdf", "--allowed-rules", "numbers", "paper"
    )
    assert status == 0, output
    return SecondBuild(project, failed, left, measured, page, built, paper)

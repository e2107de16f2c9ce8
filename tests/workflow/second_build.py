"""A copy of a build: edited in every way that a reader may edit it, and built again."""

import json
import shutil
from pathlib import Path
from typing import NamedTuple

from nbformat.v4 import new_code_cell
from projects import Project

HERE = Path(__file__).parent
OF, NAME, PAGE = "receive-offload", "offload-2", "results/mine/notebooks/offload_2.html"
"""scenario that is copied, the copy, and its page"""
FACTORS = "only: {smoke: {mode: [transport]}, quick: {}, paper: {}}\n"
TWO_CELLS = 'only: {mode: [tunnel, transport], gro: ["on"]}\n'
BOUND, NUMBER = ("matters: 1.18", "matters: 30"), ('study: "1.131"', 'study: "1.13"')
"""of faigl-tls-more-cpu-aaa and faigl-chain-affects-cost: their old and new bounds. The paper
states neither verdict: it would rightly not be built."""


class SecondBuild(NamedTuple):
    """The copy, and status and output of each step."""

    project: Project
    failed: tuple[int, str]
    """when a notebook failed, after it had handed over a figure; it was mended"""
    left: list[str]
    """files of that notebook then"""
    measured: tuple[int, str]
    """of the command that measured the added scenario and made its page"""
    page: bool
    """whether the page was there then"""
    built: tuple[int, str]
    """when the paper was built, for which all notebooks are"""


def build_again(project: Project) -> SecondBuild:
    failed, left = _fail(project)
    add_scenario(project)
    scenario = project.scenario(NAME)
    _replace(scenario, FACTORS, TWO_CELLS)
    mine = ("--config", "campaign=mine", "profile=smoke")
    measured = project.run("snakemake", "--cores", "2", PAGE, *mine)
    page = (project.folder / PAGE).exists()
    with (project.folder / "config/config.yaml").open("a") as settings:
        settings.write(f"  {NAME}: mine\n")

    published = project.folder / "data/published"
    for stated, otherwise in (BOUND, NUMBER):
        _replace(published / "faigl.yaml", stated, otherwise)
    with (published / "faigl.yaml").open("a") as faigl:
        faigl.write((HERE / "added-claim.yaml").read_text())
    shutil.copy(HERE / "added-study.yaml", published / "added.yaml")
    _add_figure(project)
    with (project.folder / "paper/sections/roundtrips.tex").open("a") as section:
        section.write("\n\\includegraphics{eapmethods-added.pdf}\n")
    built = project.run("snakemake", "--cores", "2", "results/paper.pdf")
    return SecondBuild(project, failed, left, measured, page, built)


def add_scenario(project: Project) -> Project:
    """Add a scenario under another name, with one size changed."""
    shutil.copy(project.scenario(OF), project.scenario(NAME))
    _replace(project.scenario(NAME), "megabytes: {smoke: 8", "megabytes: {smoke: 4")
    project.copy_notebook(OF.replace("-", "_"), NAME)
    return project


def _fail(project: Project) -> tuple[tuple[int, str], list[str]]:
    """Run a notebook that fails after its first figure, and mend it."""
    path = project.folder / "notebooks/receive_offload/receive_offload.ipynb"
    whole = path.read_text()
    notebook = json.loads(whole)
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    after = next(i for i, source in enumerate(sources) if "results.figure(" in source) + 1
    notebook["cells"].insert(after, new_code_cell("raise ValueError('no such luck')"))
    path.write_text(json.dumps(notebook))
    failed = project.run("snakemake", "--cores", "2", "results/notebooks/receive_offload.html")
    results = project.folder / "results"
    folders = (results / "notebooks", results / "handed")
    left = [str(path) for folder in folders for path in folder.glob("receive_offload*")]
    path.write_text(whole)
    return failed, left


def _add_figure(project: Project) -> None:
    path = project.folder / "notebooks/eap_methods/eap_methods.ipynb"
    notebook = json.loads(path.read_text())
    last = notebook["cells"][-1]
    figure = 'results.figure("added", "Added.", trials.model_chart())\n'
    last["source"] = [figure, *last["source"]]
    path.write_text(json.dumps(notebook))


def _replace(path, stated: str, otherwise: str) -> None:
    text = path.read_text()
    assert stated in text
    path.write_text(text.replace(stated, otherwise))

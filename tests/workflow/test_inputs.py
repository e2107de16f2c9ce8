"""A change builds only files that depend on it, by Snakemake's plan."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.graph.inputs import files_below, published_files, studies_asked

PAPER, NOTEBOOK = "workflow/remeasure/paper", "notebooks/psk_rsa/psk_rsa.ipynb"
NOTEBOOKS = {"psk_rsa", "eap_methods", "calibration", "receive_offload", "claims"}
"""some notebooks, and the ledger"""


@contextmanager
def changed(path: Path) -> Iterator[None]:
    """The file as if it had been changed just now."""
    before = path.stat()
    text = path.read_bytes()
    path.write_bytes(text + b"\n")
    try:
        yield
    finally:
        path.write_bytes(text)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def planned(project, *files: str) -> set[str]:
    """Files that would be built if these had changed."""
    with changed(project.folder / files[0]):
        return planned(project, *files[1:]) if files[1:] else project.planned()


def pages(*notebooks: str) -> set[str]:
    return {f"results/notebooks/{notebook}.html" for notebook in notebooks}


SITE, PAPER_PDF, PAGES = {"results/site"}, "results/paper.pdf", pages(*NOTEBOOKS)
OF_PAPER = {"results/paper/numbers.tex", PAPER_PDF}


def test_nothing_changed_builds_nothing(built_project):
    assert built_project.planned() == set()


@pytest.mark.parametrize(
    ("files", "made", "not_made"),
    [
        # Files that only the site, notebooks, pages or the paper need.
        (("publish/site/serve.py", "../../../site/guide.md"), SITE, r"(?!results/site$)"),
        (("notebook/charts/figures.py",), PAGES | {PAPER_PDF} | SITE, "results/tidy/"),
        (("publish/page/page.css",), PAGES, rf".*\.ipynb|{PAPER_PDF}"),
        # The words of an answer run no notebook.
        (
            ("../../../notebooks/nat_t/answer.md",),
            pages("nat_t") | SITE,
            r".*\.ipynb|.*dataset|.*pdf",
        ),
        (("publish/prose/conditions.py",), OF_PAPER, r".*\.ipynb"),
        (("publish/paper_macros.py",), OF_PAPER, r".*\.ipynb"),
        (("publish/included.py",), OF_PAPER, r".*\.ipynb"),
    ],
)
def test_a_change_builds_what_depends_on_it(built_project, files, made, not_made):
    found = planned(built_project, *(f"{PAPER}/{file}" for file in files))
    assert made <= found and not [path for path in found if re.match(not_made, path)]


def test_what_python_compiles_builds_nothing(built_project):
    """Tests import the script that computes a study's numbers again."""
    compiled = built_project.folder / "data/published/wagner/__pycache__"
    compiled.mkdir()
    (compiled / "recompute.pyc").write_bytes(b"")
    try:
        assert built_project.planned() == set()
    finally:
        shutil.rmtree(compiled)


def test_no_folder_is_an_input(monkeypatch):
    monkeypatch.chdir(ROOT)
    inputs = [*published_files("per-cpu-sas", studies_asked()), *files_below("data/published")]
    assert "data/published/wagner-recomputed.json" in inputs
    assert [path for path in inputs if not Path(path).is_file() or path.endswith(".pyc")] == []


def test_outputs_of_a_notebook_build_nothing(built_project):
    assert planned(built_project, NOTEBOOK) == set()


def test_a_notebook_builds_itself_and_what_reads_it(built_project):
    path = built_project.folder / NOTEBOOK
    with changed(path):
        path.write_text(path.read_text().replace("answer_here()", "answer_here()  # changed"))
        made = built_project.planned()
    assert {path for path in made if path.endswith(".html")} == pages("psk_rsa", "claims")
    assert {"results/paper.pdf", "results/site"} <= made

"""What a change builds again, by Snakemake's plan: nothing that it cannot change."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PACKAGE = "workflow/remeasure"
NOTEBOOKS = {"psk_rsa", "eap_methods", "calibration", "receive_offload", "claims"}
"""some notebooks, and the ledger"""


@contextmanager
def changed(path: Path) -> Iterator[None]:
    """The file as if it had been changed just now."""
    before = path.stat()
    os.utime(path)
    text = path.read_bytes()
    path.write_bytes(text + b"\n")
    try:
        yield
    finally:
        path.write_bytes(text)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def pages(*notebooks: str) -> set[str]:
    return {f"results/notebooks/{notebook}.html" for notebook in notebooks}


@pytest.mark.parametrize(
    "file",
    [f"{PACKAGE}/paper/publish/site/serve.py", "site/guide.md"],
)
def test_what_the_site_alone_has_builds_the_site_alone(built_project, file):
    with changed(built_project.folder / file):
        assert built_project.planned() == {"results/site"}


@pytest.mark.parametrize(
    "file",
    [f"{PACKAGE}/paper/notebook/charts/figures.py", f"{PACKAGE}/paper/publish/execution/run.py"],
)
def test_what_notebooks_import_and_what_runs_them_builds_notebooks(built_project, file):
    with changed(built_project.folder / file):
        made = built_project.planned()
    assert pages(*NOTEBOOKS) <= made
    assert {"results/paper.pdf", "results/site"} <= made
    assert not [path for path in made if path.startswith("results/tidy/")]


def test_what_pages_look_like_builds_pages_and_no_notebook(built_project):
    with changed(built_project.folder / f"{PACKAGE}/paper/publish/page/page.css"):
        made = built_project.planned()
    assert pages(*NOTEBOOKS) <= made
    assert "results/paper.pdf" not in made
    assert not [path for path in made if path.endswith(".ipynb")]


def test_a_notebook_builds_itself_and_what_reads_it(built_project):
    with changed(built_project.folder / "notebooks/psk_rsa/psk_rsa.ipynb"):
        made = built_project.planned()
    assert {path for path in made if path.endswith(".html")} == pages("psk_rsa", "claims")
    assert {"results/paper.pdf", "results/site"} <= made


def test_nothing_changed_builds_nothing(built_project):
    assert built_project.planned() == set()

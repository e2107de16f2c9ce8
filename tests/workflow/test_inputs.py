"""A change builds only files that depend on it, by Snakemake's plan."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


def test_nothing_changed_builds_nothing(built_project):
    assert built_project.planned() == set()


def test_what_the_site_alone_has_builds_the_site_alone(built_project):
    made = planned(built_project, f"{PAPER}/publish/site/serve.py", "site/guide.md")
    assert made == {"results/site"}


def test_what_notebooks_import_builds_notebooks(built_project):
    made = planned(built_project, f"{PAPER}/notebook/charts/figures.py")
    assert pages(*NOTEBOOKS) | {"results/paper.pdf", "results/site"} <= made
    assert not [path for path in made if path.startswith("results/tidy/")]


def test_what_pages_look_like_builds_pages_and_no_notebook(built_project):
    made = planned(built_project, f"{PAPER}/publish/page/page.css")
    assert pages(*NOTEBOOKS) <= made
    assert "results/paper.pdf" not in made
    assert not [path for path in made if path.endswith(".ipynb")]


def test_outputs_of_a_notebook_build_nothing(built_project):
    assert planned(built_project, NOTEBOOK) == set()


def test_a_notebook_builds_itself_and_what_reads_it(built_project):
    path = built_project.folder / NOTEBOOK
    with changed(path):
        path.write_text(path.read_text().replace("answer_here()", "answer_here()  # changed"))
        made = built_project.planned()
    assert {path for path in made if path.endswith(".html")} == pages("psk_rsa", "claims")
    assert {"results/paper.pdf", "results/site"} <= made

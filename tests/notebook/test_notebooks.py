"""Notebooks as they are committed: words, calls and charts, with nothing executed."""

import ast
import importlib
import json

import pytest

import remeasure.paper.notebook
from remeasure.bench.base.paths import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
MOST = 80
"""lines of code in a notebook on average, without empty ones"""


def code_of(path) -> list[str]:
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_of_our_package_what_is_there_for_it(path):
    modules = [
        node.module or ""
        for node in ast.walk(ast.parse("\n".join(code_of(path))))
        if isinstance(node, ast.ImportFrom)
    ]
    ours = [module for module in modules if module.startswith(("remeasure", "notebooks"))]
    assert ours
    faces = ("remeasure.paper.notebook.", f"notebooks.{path.stem}.")
    assert [one for one in ours if not f"{one}.".startswith(faces)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_defines_no_function(path):
    """Logic is in the package, where tests and types reach it."""
    defined = (ast.FunctionDef, ast.ClassDef)
    nodes = ast.walk(ast.parse("\n".join(code_of(path))))
    assert [node.name for node in nodes if isinstance(node, defined)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_no_outputs(path):
    cells = json.loads(path.read_text())["cells"]
    assert not [cell["id"] for cell in cells if cell.get("outputs") or cell.get("execution_count")]


def test_notebooks_stay_short():
    lines = [line for path in NOTEBOOKS for code in code_of(path) for line in code.splitlines()]
    assert len([line for line in lines if line.strip()]) <= MOST * len(NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_with_an_answer_begins_with_it(path):
    """The page shows the cell with this tag first."""
    tagged = [
        cell
        for cell in json.loads(path.read_text())["cells"]
        if "answer" in cell["metadata"].get("tags", [])
    ]
    assert len(tagged) == 1 or not path.with_name("answer.md").exists()


@pytest.mark.parametrize("name", remeasure.paper.notebook.FACE)
def test_every_name_for_notebooks_is_there(name):
    assert getattr(importlib.import_module("remeasure.paper.notebook"), name)


def test_no_other_name_is():
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        remeasure.paper.notebook.no_such_name  # noqa: B018

"""Committed notebooks: words, calls and charts, with nothing executed. The template can be
copied."""

import ast
import importlib
import json
import shutil

import pytest

import remeasure.paper.notebook
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.folder import configured_blocks
from remeasure.paper.publish.execution.run import run_notebook
from remeasure.paper.publish.page.render import write_page

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
MOST = 80
"""lines of code in a notebook on average, without empty ones"""


def code_of(path) -> str:
    cells = json.loads(path.read_text())["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_its_face_defines_nothing_and_has_no_outputs(path):
    """Logic is in the package, where tests and types reach it."""
    nodes = list(ast.walk(ast.parse(code_of(path))))
    modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    ours = [module for module in modules if module.startswith(("remeasure", "notebooks"))]
    faces = ("remeasure.paper.notebook.", f"notebooks.{path.stem}.")
    assert ours and [one for one in ours if not f"{one}.".startswith(faces)] == []
    assert not [node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    cells = json.loads(path.read_text())["cells"]
    assert not [cell["id"] for cell in cells if cell.get("outputs") or cell.get("execution_count")]
    # The page shows the cell with this tag first.
    tagged = [cell for cell in cells if "answer" in cell["metadata"].get("tags", [])]
    assert len(tagged) == 1 or not path.with_name("answer.md").exists()


def test_notebooks_stay_short():
    lines = [line for path in NOTEBOOKS for line in code_of(path).splitlines() if line.strip()]
    assert len(lines) <= MOST * len(NOTEBOOKS)


def test_every_name_for_notebooks_is_there():
    face = importlib.import_module("remeasure.paper.notebook")
    assert all(getattr(face, name) for name in face.FACE)
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        remeasure.paper.notebook.no_such_name  # noqa: B018


def test_a_copy_of_the_template_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    source = shutil.copy(ROOT / "notebooks/template/template.ipynb", tmp_path / "copied.ipynb")
    parameters = {
        "tidy": "data/tidy/receive-offload",
        "blocks": [str(path.relative_to(ROOT)) for path in configured_blocks("receive-offload")],
    }
    page, handed = tmp_path / "copied.html", tmp_path / "copied"
    executed = tmp_path / "executed.ipynb"
    run_notebook(source, parameters, executed, handed)
    write_page(executed, page)
    assert "Where and when this was measured" in page.read_text()
    assert list(handed.glob("figures/*-estimates.svg"))
    assert json.loads((handed / "lineage.json").read_text())["tables"]

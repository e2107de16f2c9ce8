"""Committed notebooks: words, calls and charts, and no trace of a run. The template is to copy."""

import ast
import json
import re
import shutil

import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.folder import configured_blocks
from remeasure.paper.publish.execution.run import run_notebook
from remeasure.paper.publish.page.render import write_page

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
MOST = 80
"""lines of code in a notebook on average, without empty ones"""


def cells_of(path) -> list[dict]:
    return json.loads(path.read_text())["cells"]


def code_of(path) -> str:
    code = (cell for cell in cells_of(path) if cell["cell_type"] == "code")
    return "\n".join("".join(cell["source"]) for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_its_face_once_and_defines_nothing(path):
    """Logic is in the package, where tests and types reach it. Plumbing is folded."""
    nodes = list(ast.walk(ast.parse(code_of(path))))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {node.module for node in imports} == {"remeasure.paper.notebook"}
    first = next("".join(c["source"]) for c in cells_of(path) if c["cell_type"] == "code")
    answer = "from remeasure.paper.notebook import answer_here\n\nanswer_here()"
    assert path.stem == "compare" or first == answer
    assert not [node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    code = [cell for cell in cells_of(path) if cell["cell_type"] == "code"]
    folded = [cell for cell in code if cell["metadata"].get("jupyter", {}).get("source_hidden")]
    plumbing = "".join(line for cell in folded for line in cell["source"])
    assert path.stem == "compare" or ("import" in plumbing and "\nout = " in plumbing)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_small_and_tell_nothing_of_a_run(path):
    text, outputs = path.read_text(), [o for c in cells_of(path) for o in c.get("outputs", [])]
    assert len(text.encode()) < 1_000_000
    assert not re.search(r'"execution_count": \d|"(?:/home|/tmp|/root)/|widget', text)
    assert not [one for one in outputs if one["output_type"] in ("error", "stream")]


def test_notebooks_stay_short():
    lines = [line for path in NOTEBOOKS for line in code_of(path).splitlines() if line.strip()]
    assert len(lines) <= MOST * len(NOTEBOOKS)


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
    write_page(executed, handed, page)
    assert "Where and when this was measured" in page.read_text()
    assert list(handed.glob("figures/*-estimates.svg"))
    assert json.loads((handed / "lineage.json").read_text())["tables"]

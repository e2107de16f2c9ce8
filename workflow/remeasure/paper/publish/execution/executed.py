"""An executed notebook as a reader gets it: long code folded, plumbing left out, and the same bytes
each time."""

import re
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

from remeasure.paper.analysis.texts import NO_NUMBER
from remeasure.paper.notebook.opening_answer import opening
from remeasure.paper.notebook.preview import mark_of_results

ANSWER = "answer"
"""tag of the cell that shows the answer"""
_PARAMETERS = {"parameters", "injected-parameters"}
FOLDED, OUTPUT_ALONE, LEFT_OUT = "folded", "remove-input", "remove-cell"
"""tags: a page's switch shows the code of the cell; pages leave out its code, or the whole cell.
MyST-NB knows the last two, too"""
_SHORT = 3
"""most lines of code that a page always shows"""
_SWITCH = '<label class="code-switch"><input type="checkbox"> Show all code</label>'
"""a page's style sheet folds and unfolds code by it"""
_KEPT = ("tags", "jupyter")
"""metadata of a cell that are no record of a run"""


def plain(notebook: NotebookNode) -> NotebookNode:
    """The same notebook without outputs, and without records of runs and editors."""
    for cell in notebook.cells:
        cell.metadata = {key: cell.metadata[key] for key in _KEPT if key in cell.metadata}
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return notebook


def arranged(notebook: NotebookNode) -> NotebookNode:
    """The same notebook with every code cell tagged for pages, the switch for code below the
    answer, and the title in its metadata."""
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        # Times of the run, and a random id: the same notebook would not give the same bytes.
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)
        if "injected-parameters" in tags_of(cell):
            cell.id = "injected-parameters"
        if cell.cell_type == "code":
            # A place for the answer that nothing has filled is empty.
            cell.outputs = [
                one for one in cell.outputs if one.get("data", {}).get("text/markdown", "filled")
            ]
            cell.metadata["tags"] = [*tags_of(cell), *_shown_as(cell)]
    _leave_out_empty_sections(notebook.cells)
    _add_switch(notebook.cells)
    title = re.match(r"# (.+)", notebook.cells[0].source)
    if title:
        notebook.metadata["title"] = title[1]
    return notebook


def with_answer(executed: Path, handed: Path) -> NotebookNode:
    """The executed notebook with its answer, made from the folder `handed` unless that is empty.
    Words of an answer change without a new execution."""
    notebook: NotebookNode = nbformat.read(executed, as_version=4)
    for cell in notebook.cells:
        if ANSWER in tags_of(cell) and (handed / "numbers.json").exists():
            cell.outputs = [new_output("display_data", shown) for shown in opening(handed)]
        for data in (one.get("data", {}) for one in cell.get("outputs", [])):
            if mark_of_results([handed]) and "text/html" in data:
                data["text/html"] = data["text/html"].replace(f"<td>{NO_NUMBER}</td>", "<td></td>")
    return notebook


def _shown_as(cell: NotebookNode) -> list[str]:
    if not cell.outputs or _PARAMETERS & set(tags_of(cell)):
        return [LEFT_OUT]
    if ANSWER in tags_of(cell):
        return [OUTPUT_ALONE]
    return [FOLDED] if len(cell.source.splitlines()) > _SHORT else []


def _add_switch(cells: list[NotebookNode]) -> None:
    """Add the switch below the answer, if there is code to unfold."""
    if any(FOLDED in tags_of(cell) for cell in cells):
        below = 1 + next((n for n, cell in enumerate(cells) if ANSWER in tags_of(cell)), 0)
        cells.insert(below, new_markdown_cell(_SWITCH, id="code-switch"))


def _leave_out_empty_sections(cells: Sequence[NotebookNode]) -> None:
    shown = [cell for cell in cells if LEFT_OUT not in tags_of(cell)]
    for cell, after in zip(shown, [*shown[1:], None], strict=True):
        if _is_heading(cell) and (after is None or _is_heading(after)):
            cell.metadata["tags"] = [*tags_of(cell), LEFT_OUT]


def _is_heading(cell: NotebookNode) -> bool:
    """Whether a cell is only a heading of the second level; the next one is no part of it."""
    return cell.cell_type == "markdown" and bool(re.fullmatch(r"## .+\s*", cell.source))


def tags_of(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))

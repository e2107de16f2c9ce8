"""An executed notebook as a reader gets it: the answer first, code folded, plumbing left out."""

import re
from collections.abc import Sequence

from nbformat import NotebookNode

ANSWER = "answer"
"""tag of the cell that shows the answer; it runs last, when all numbers are there"""
_PARAMETERS = {"parameters", "injected-parameters"}
FOLDED, OUTPUT_ALONE, LEFT_OUT = "hide-input", "remove-input", "remove-cell"
"""tags by which pages fold the code of a cell, leave it out, or leave out the whole cell, also in
MyST-NB"""


def arranged(notebook: NotebookNode) -> NotebookNode:
    """The notebook with its answer below the title, a tag for pages on every code cell, and the
    title in its metadata."""
    answers = [cell for cell in notebook.cells if ANSWER in _tags(cell)]
    others = [cell for cell in notebook.cells if ANSWER not in _tags(cell)]
    notebook.cells = [*others[:1], *answers, *others[1:]]
    notebook.metadata.pop("papermill", None)
    for place, cell in enumerate(notebook.cells):
        # Times of the run, and random ids: the same notebook would not give the same bytes.
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)
        cell.id = f"cell-{place:03}"
        if cell.cell_type == "code":
            shown = cell.outputs and not _PARAMETERS & set(_tags(cell))
            how = OUTPUT_ALONE if ANSWER in _tags(cell) else FOLDED
            cell.metadata["tags"] = [*_tags(cell), how if shown else LEFT_OUT]
    _leave_out_empty_sections(notebook.cells)
    title = re.match(r"# (.+)", notebook.cells[0].source)
    if title:
        notebook.metadata["title"] = title[1]
    return notebook


def _leave_out_empty_sections(cells: Sequence[NotebookNode]) -> None:
    """Tag headings without contents. The answer has left one."""
    shown = [cell for cell in cells if LEFT_OUT not in _tags(cell)]
    for cell, after in zip(shown, [*shown[1:], None], strict=True):
        if _is_heading(cell) and (after is None or _is_heading(after)):
            cell.metadata["tags"] = [*_tags(cell), LEFT_OUT]


def _is_heading(cell: NotebookNode) -> bool:
    """Whether a cell is only a heading of the second level; the next one is no part of it."""
    return cell.cell_type == "markdown" and bool(re.fullmatch(r"## .+\s*", cell.source))


def _tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))

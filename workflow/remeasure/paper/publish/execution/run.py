"""Running a notebook: papermill sets its parameters, IPython runs its cells, and it is arranged for
readers."""

import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import nbformat
import papermill
from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output
from traitlets.config import Config

from remeasure.bench.base.errors import UserError, naming
from remeasure.paper.notebook.results import NothingMeasured
from remeasure.paper.publish.execution.executed import arranged
from remeasure.paper.publish.execution.part_folders import work_folder

_NOT_A_NOTEBOOK = (ValueError, LookupError, AttributeError, TypeError, RecursionError)
"""errors of nbformat for a file that is not a notebook"""
_KERNEL = "python3"
"""kernel with the packages of this project"""


def run_notebook(source: Path, parameters: dict[str, Any], notebook: Path, folder: Path) -> None:
    """Execute `source` with `parameters` into `notebook`, with results in `folder`. Everything is
    first made elsewhere and then renamed, so a notebook that failed leaves no output. Without an
    accepted trial there is one line instead, and nothing is handed over. Raises UserError with the
    cell and the error."""
    with work_folder(folder) as work:
        with naming(work):
            # The folder has its final name already, because prefixes are made from it.
            prepared = _prepared(source, {**parameters, "out": str(work / folder.name)})
            try:
                _run_cells(prepared, source)
            except NothingMeasured as error:
                print(f"{source}: left out: {error}", file=sys.stderr)
                prepared.cells[1:] = [new_markdown_cell(f"{error}.", id="nothing-measured")]
            nbformat.write(arranged(prepared), work / "run.ipynb")
        notebook.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists():
            shutil.rmtree(folder)
        (work / folder.name).replace(folder)
        (work / "run.ipynb").replace(notebook)


def _run_cells(notebook: NotebookNode, source: Path) -> None:
    """Run the cells in this process, since a kernel would import all packages a second time. Cells
    keep their outputs. Raises UserError with the cell and the error."""
    # Not the user's own folder, which may have code that runs at every start, or be read-only.
    ipython = Path(".snakemake/ipython").absolute()
    ipython.mkdir(parents=True, exist_ok=True)
    settings = Config(HistoryManager={"enabled": False})
    shell = InteractiveShell.instance(ipython_dir=str(ipython), config=settings)
    shell.display_pub = publisher = CapturingDisplayPublisher(shell=shell)
    shell.display_trap.hook = CapturingDisplayHook(shell, publisher.outputs)
    places: dict[str, NotebookNode] = {}
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        cell.outputs, cell.execution_count = [], shell.execution_count
        with redirect_stdout(StringIO()) as said, redirect_stderr(said):
            result = shell.run_cell(cell.source, store_history=True)
        error = result.error_before_exec or result.error_in_exec
        if isinstance(error, Exception) and not isinstance(error, NothingMeasured):
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise UserError(f"{source}: cell {cell.execution_count}: {why[:400]}")
        if error:
            raise error
        if said.getvalue():
            cell.outputs.append(new_output("stream", text=said.getvalue()))
        for shown in publisher.outputs:
            _keep(shown, cell, places)
        publisher.outputs.clear()
    # Pages colour code by it.
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}


def _keep(shown: dict[str, Any], cell: NotebookNode, places: dict[str, NotebookNode]) -> None:
    """Keep an output in its cell, or in its place (display_id -> output) in an earlier cell."""
    place = (shown.get("transient") or {}).get("display_id", "")
    if shown.get("update"):
        places[place].data = shown["data"]
        return
    of_cell = {} if "update" in shown else {"execution_count": cell.execution_count}
    kind = "execute_result" if of_cell else "display_data"
    places[place] = new_output(kind, shown["data"], metadata=shown["metadata"] or {}, **of_cell)
    cell.outputs.append(places[place])


def _prepared(source: Path, parameters: dict[str, Any]) -> NotebookNode:
    """The notebook with its parameters. Raises UserError if it cannot be read, or is one of another
    kernel, which would not run it."""
    try:
        kernel = nbformat.read(source, as_version=4).metadata.get("kernelspec", {})
        if (name := kernel.get("name", _KERNEL)) != _KERNEL:
            raise UserError(
                f"{source}: metadata.kernelspec.name: found {name!r}, expected {_KERNEL!r}, the "
                "kernel with this project's packages; choose it in the notebook"
            )
        prepared: NotebookNode = papermill.execute_notebook(
            source, None, parameters, kernel_name=_KERNEL, prepare_only=True
        )
        return prepared
    except FileNotFoundError as error:
        raise UserError(f"{source}: {error.filename}: no such file") from None
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, *_NOT_A_NOTEBOOK) as error:
        why = " ".join(str(error).split())[:200]
        raise UserError(f"{source}: not a notebook ({why}); restore it") from None

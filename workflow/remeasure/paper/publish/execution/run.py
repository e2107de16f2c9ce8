"""Running a notebook: papermill executes it, and it is arranged for readers."""

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

import nbformat
import papermill
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import DeadKernelError
from traitlets.config import Config

from remeasure.bench.base.errors import UserError, naming
from remeasure.paper.publish.execution.executed import arranged
from remeasure.paper.publish.execution.part_folders import work_folder

_NOT_A_NOTEBOOK = (ValueError, LookupError, AttributeError, TypeError, RecursionError)
"""errors of nbformat for a file that is not a notebook"""
_KERNEL = "python3"
"""kernel with the packages of this project"""
_SETTINGS = {
    # The execution must not depend on the user who runs it.
    "PYTHONHASHSEED": "0",
    # Several notebooks run at once, one per core: threads of numpy would wait for each other.
    "OPENBLAS_NUM_THREADS": "1",
}
"""environment variable -> its value in kernels, unless it is set"""


class _Kernels(AsyncKernelManager):
    """Starts kernels that are killed at once when this process ends. By themselves they look every
    second, and would write into a folder that is removed meanwhile."""

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        command = super().format_kernel_cmd(extra_arguments)
        return ["setpriv", "--pdeathsig", "KILL", *command] if which("setpriv") else command


def run_notebook(source: Path, parameters: dict[str, Any], notebook: Path, folder: Path) -> None:
    """Execute `source` with `parameters` into `notebook`, with results in `folder`. Everything is
    first made elsewhere and then renamed, so a notebook that failed leaves no output. Raises
    UserError with the cell and the error."""
    logging.getLogger("papermill").setLevel(logging.WARNING)
    # `_said` describes a kernel that died.
    logging.getLogger("papermill").addFilter(lambda one: "Kernel died" not in one.getMessage())
    os.environ.update(_SETTINGS | os.environ)
    # Not the user's own, which may contain code that runs in every kernel, or be read-only.
    ipython = Path(".snakemake/ipython").absolute()
    ipython.mkdir(parents=True, exist_ok=True)
    os.environ["IPYTHONDIR"] = str(ipython)
    with work_folder(folder) as work:
        with naming(work), _said(source):
            _require_kernel(source)
            papermill.execute_notebook(
                source,
                work / "run.ipynb",
                progress_bar=False,
                # The notebook is written once, when it is complete, rather than after every cell.
                request_save_on_cell_execute=False,
                kernel_name=_KERNEL,
                config=_kernel_in(work),
                # The folder has its final name already, because prefixes are made from it.
                parameters={**parameters, "out": str(work / folder.name)},
            )
        with naming(work):
            executed = arranged(nbformat.read(work / "run.ipynb", as_version=4))
            nbformat.write(executed, work / "run.ipynb")
        notebook.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists():
            shutil.rmtree(folder)
        (work / folder.name).replace(folder)
        (work / "run.ipynb").replace(notebook)


def _require_kernel(source: Path) -> None:
    """Raises UserError for a notebook of another kernel, which would not run it."""
    name = nbformat.read(source, as_version=4).metadata.get("kernelspec", {}).get("name", _KERNEL)
    if name != _KERNEL:
        raise UserError(
            f"{source}: metadata.kernelspec.name: found {name!r}, expected {_KERNEL!r}, the kernel "
            "with this project's packages; choose it in the notebook"
        )


def _kernel_in(work: Path) -> Config:
    """How the kernel of a notebook is started and ended, with its files in `work`."""
    return Config(
        # Kernels use socket files that only this user can open, rather than TCP ports. There is one
        # per notebook, since another may run at the same time.
        KernelManager={
            "transport": "ipc",
            "ip": str(work / "kernel"),
            # It contains a key, and would stay in /tmp if this process is killed.
            "connection_file": str(work / "kernel.json"),
        },
        # A kernel that is interrupted while it ends would print that as an error; one in fifteen
        # takes three seconds to end.
        NotebookClient={
            "extra_arguments": ["--IPKernelApp.log_level=CRITICAL"],
            "shutdown_kernel": "immediate",
            "kernel_manager_class": _Kernels,
        },
    )


@contextmanager
def _said(source: Path) -> Iterator[None]:
    """Say in one line why a notebook could not be executed."""
    try:
        yield
    except papermill.PapermillExecutionError as error:
        why = " ".join(f"{error.ename}: {error.evalue}".split())
        raise UserError(f"{source}: cell {error.exec_count}: {why[:400]}") from None
    except DeadKernelError:
        raise UserError(
            f"{source}: its kernel was killed while a cell ran (by hand, or because memory was "
            "short); run it again"
        ) from None
    except FileNotFoundError as error:
        raise UserError(f"{source}: {error.filename}: no such file") from None
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, *_NOT_A_NOTEBOOK) as error:
        why = " ".join(str(error).split())[:200]
        raise UserError(f"{source}: not a notebook ({why}); restore it") from None

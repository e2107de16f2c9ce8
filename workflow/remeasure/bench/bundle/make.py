"""Making a bundle: its files are written, proven on this machine, and packed."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from remeasure.bench.base.errors import UserError
from remeasure.bench.bundle.bundle_needs import Choice, wanted
from remeasure.bench.bundle.python_packages import folders, running
from remeasure.bench.bundle.selfextracting import write_file
from remeasure.bench.bundle.tree import CACHES, CODE, write_tree


def make_bundle(scenarios: Sequence[str], kernel: str | None, to: Path) -> str:
    """Write a bundle that measures these scenarios. Returns what was written, in words.

    Raises UserError, also if the guests of the bundle lack what a scenario needs.
    """
    if not to.parent.is_dir():
        raise UserError(f"{to}: found no folder {to.parent}; make it")
    if to.is_dir():
        raise UserError(f"{to}: found a folder, expected the name of a file to write")
    if kernel is not None and kernel not in get_args(Choice):
        raise UserError(f"--kernel: found {kernel}, expected {' or '.join(get_args(Choice))}")
    needed = wanted(scenarios, cast("Choice | None", kernel))
    with tempfile.TemporaryDirectory(prefix=".bundle-", dir=to.parent.absolute()) as folder:
        tree = Path(folder) / "files"
        write_tree(needed, tree)
        for scenario in needed.scenarios:
            _prove(tree, scenario)
        write_file(tree, needed, to)
    size = to.stat().st_size / 2**20
    return f"{to}: {size:.1f} MiB; measures {', '.join(needed.scenarios)}"


def _prove(tree: Path, scenario: str) -> None:
    """Start the guests of the bundle, and ask them for all that the scenario needs. Raises
    UserError naming what they lack."""
    modules = [tree / CODE / "workflow", *folders(tree, running())]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, modules)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "XDG_CACHE_HOME": str(tree / CACHES),
    }
    # Without the packages of this environment (-S): they may have what the bundle lacks.
    command = [sys.executable, "-P", "-S", "-m", "remeasure.bench.bundle.prove", scenario]
    done = subprocess.run(command, env=environment, cwd=tree, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
        raise UserError(f"{scenario}: the guests of the bundle lack what it needs: {said[-1]}")

"""What makes the files of a bundle: commands of this machine, and removals."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.testbed.tool_path import environment


def run_as_root(command: list[str]) -> None:
    """Run a command as root, or as root of a user namespace of its own. Raises UserError."""
    run([*([] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user"]), *command])


def run(command: Sequence[str | Path]) -> None:
    """Raises UserError if a command fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment())
    except FileNotFoundError:
        raise UserError(f"bundle: {command[0]} is not installed") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
        raise UserError(f"bundle: {Path(command[0]).name}: {said[0]}")


def strip_debug(files: Sequence[Path]) -> None:
    """Remove what only debuggers read: of zstandard it is nine tenths. Raises UserError."""
    if files:
        run(["strip", "--strip-debug", *files])


def remove(path: Path) -> None:
    """Remove a file, a link, or a folder with all that is in it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()

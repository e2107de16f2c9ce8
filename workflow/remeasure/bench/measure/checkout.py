"""Another commit of this repository, in a folder of its own: a block is measured again by the code
that measured it first.

The folder is a git worktree in the cache. It has no released data, which are most of a commit's
bytes, and it is removed when it is no longer needed. It begins with the environment of this clone,
since most commits describe the same one; env/run makes another one where a commit does.
"""

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CACHE, ROOT

DECIDES = ("workflow", "env", "config", "pyproject.toml")
"""what of this repository the bytes of a block in virtual time depend on"""
_COMMIT = re.compile("[0-9a-f]{40}")
_FOLDERS = CACHE / "repeat"
_OF_AN_ENVIRONMENT = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")
"""variables by which a program of one environment would take modules of another one"""


def files_that_differ(commit: str) -> list[str] | None:
    """Files of DECIDES that are not here as `commit` has them; None if this is no git repository,
    or one that lacks the commit."""
    if not _COMMIT.fullmatch(commit) or not shutil.which("git"):
        return None
    found = _git(ROOT, "diff", "--name-only", commit, "--", *DECIDES)
    return found.stdout.splitlines() if found.returncode == 0 else None


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Yield a folder with the files of `commit`, but for data/raw. Raises UserError."""
    _FOLDERS.mkdir(parents=True, exist_ok=True)
    _remove_leftovers()
    folder = _FOLDERS / f"{commit[:12]}-{secrets.token_hex(4)}"
    lock = FileLock(_lock_of(folder))
    lock.acquire()
    try:
        _require(ROOT, "worktree", "add", "--detach", "--no-checkout", "--force", folder, commit)
        _require(folder, "sparse-checkout", "set", "--no-cone", "/*", "!/data/raw/")
        _require(folder, "checkout")
        _bring_environment(folder)
        yield folder
    finally:
        _remove(folder)
        lock.release()
        _lock_of(folder).unlink(missing_ok=True)


def run_in(folder: Path, *command: str) -> tuple[int, str]:
    """Run a command in the environment that the commit in `folder` describes, which is made if it
    is missing. Returns exit status and standard output; messages go where ours go."""
    ours = Path(sys.prefix) / "bin"
    kept = [path for path in os.environ["PATH"].split(os.pathsep) if Path(path) != ours]
    environment = {k: v for k, v in os.environ.items() if k not in _OF_AN_ENVIRONMENT}
    done = subprocess.run(
        [folder / "env" / "run", *command],
        cwd=folder,
        env=environment | {"PATH": os.pathsep.join(kept)},
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.returncode, done.stdout


def _bring_environment(folder: Path) -> None:
    """Link the files of this clone's environment, a gigabyte that nothing changes in place, into
    `folder`. Nothing is brought where there is no environment, or links cannot lead."""
    ours, theirs = ROOT / ".venv", folder / ".venv"
    if not (ours / "ready").exists():
        return
    linked = subprocess.run(["cp", "-al", ours, theirs], capture_output=True)
    if linked.returncode:
        shutil.rmtree(theirs, ignore_errors=True)
        return
    # env/run writes into these, and refuses an environment that shares them.
    for name in ("ready", "bin/remeasure"):
        (theirs / name).unlink()
        shutil.copy2(ours / name, theirs / name)


def _remove_leftovers() -> None:
    """Remove folders of processes that were killed: nobody holds their locks."""
    for folder in [path for path in _FOLDERS.iterdir() if path.is_dir()]:
        try:
            with FileLock(_lock_of(folder), timeout=0):
                _remove(folder)
            _lock_of(folder).unlink(missing_ok=True)
        except Timeout:
            continue


def _remove(folder: Path) -> None:
    _git(ROOT, "worktree", "remove", "--force", folder)
    shutil.rmtree(folder, ignore_errors=True)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _require(folder: Path, *arguments: str | Path) -> None:
    done = _git(folder, *arguments)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [""])[-1]
        raise UserError(f"{folder}: git {arguments[0]}: {said}")


def _git(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command: Sequence[str | Path] = ["git", "-C", folder, *arguments]
    return subprocess.run(command, capture_output=True, text=True)

"""Another commit of this repository, checked out in a folder of its own, to run its own code."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CACHE, ROOT


def is_commit(name: str) -> bool:
    """False for a name that no checkout can reproduce, such as a commit with changes ('+')."""
    return re.fullmatch("[0-9a-f]{40}", name) is not None


@contextmanager
def checked_out(commit: str, purpose: str, otherwise: str = "") -> Iterator[Path]:
    """A git worktree of `commit` in the cache's folder `purpose`, removed at the end. Raises
    UserError if the commit is not there; `otherwise`: further advice."""
    (CACHE / purpose).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{commit[:12]}-", dir=CACHE / purpose) as name:
        git = ("git", "-C", str(ROOT), "worktree")
        advice = f"get its history (git fetch --unshallow){otherwise}"
        run([*git, "add", "--detach", name, commit], advice)
        try:
            yield Path(name)
        finally:
            run([*git, "remove", "--force", name], "remove it")


def commit_of_tag(tag: str) -> str:
    """The commit that a tag of this repository names; empty without the tag, or without git."""
    if not shutil.which("git"):
        return ""
    wanted = f"refs/tags/{tag}^{{commit}}"
    git = ["git", "-C", str(ROOT), "rev-parse", "--quiet", "--verify", wanted]
    return subprocess.run(git, capture_output=True, text=True).stdout.strip()


def run(command: Sequence[str], advice: str) -> None:
    """Raises UserError with `advice` if the command fails; its output is shown."""
    if subprocess.run(command, stdout=sys.stderr).returncode:
        raise UserError(f"{' '.join(command)}: failed; {advice}")

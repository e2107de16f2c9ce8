"""The commit of this repository; and another one, checked out in a folder of its own, to run its
own code."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CACHE, ROOT, STAMP

UNKNOWN = "unknown"
"""instead of a commit, if git gives none"""


def software_commit() -> str:
    """Commit of this repository, with '+' if tracked files differ from it; in a bundle, its commit;
    `UNKNOWN` if git gives none."""
    if STAMP.exists():
        return STAMP.read_text().strip()
    if not shutil.which("git"):
        return UNKNOWN
    asked = ["git", "describe", "--always", "--exclude=*", "--abbrev=40", "--dirty=+"]
    said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or UNKNOWN


def is_commit(name: str) -> bool:
    """False for a name that no checkout can reproduce, such as a commit with changes ('+')."""
    return re.fullmatch("[0-9a-f]{40}", name) is not None


@contextmanager
def checked_out(commit: str, purpose: str, otherwise: str = "") -> Iterator[Path]:
    """A git worktree of `commit` in the cache's folder `purpose`, removed at the end. Raises
    UserError if the commit is not there; `otherwise`: further advice."""
    if not (ROOT / ".git").exists():
        found = f"found no git repository, expected one with commit {commit[:12]}"
        raise UserError(f"{ROOT}: {found}; clone it: git clone{otherwise}")
    (CACHE / purpose).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{commit[:12]}-", dir=CACHE / purpose) as name:
        git = ("git", "-C", str(ROOT), "worktree")
        advice = f"get its history (git fetch --unshallow){otherwise}"
        run([*git, "add", "--detach", name, commit], advice)
        try:
            yield Path(name)
        finally:
            run([*git, "remove", "--force", name], "remove it")


def require_clean(commit: str, what: str) -> None:
    """Raises UserError naming files that were changed or added since `commit`. `what`: the thing
    that is to begin, in words."""
    git = ("git", "-C", str(ROOT), "status", "--porcelain")
    asked = subprocess.run(git, capture_output=True, text=True) if shutil.which("git") else None
    changed = [line[3:] for line in asked.stdout.splitlines()] if asked else []
    if changed or not is_commit(commit):
        more = f" and {len(changed) - 3} more" if changed[3:] else ""
        found = f"changes in {', '.join(changed[:3])}{more}" if changed else commit
        raise UserError(
            f"{ROOT}: {what} begins from a commit without changes; found {found}; commit or remove "
            "them, so that the commit names all code that measures and decides"
        )


def require_commit(campaign: str) -> None:
    """Raises UserError if it is unknown which code would measure and judge a campaign that is to
    begin."""
    if software_commit() == UNKNOWN:
        raise UserError(
            f"{ROOT}: {campaign} begins from a commit; found none (no folder .git, no program git, "
            "or another user's clone); work in a clone that is your own: git clone"
        )


def run(command: Sequence[str], advice: str) -> None:
    """Raises UserError with `advice` if the command fails; its output is shown."""
    if subprocess.run(command, stdout=sys.stderr).returncode:
        raise UserError(f"{' '.join(command)}: failed; {advice}")

"""The commit of the software that measures."""

import shutil
import subprocess

from remeasure.bench.base.paths import ROOT, STAMP


def software_commit() -> str:
    """Commit of this repository, with '+' if tracked files differ from it; in a bundle, the commit
    that it was made of."""
    if STAMP.exists():
        return STAMP.read_text().strip()

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)

    if not shutil.which("git"):
        return "unknown"
    head = git("rev-parse", "HEAD")
    if head.returncode:
        return "unknown"
    changed = git("status", "--porcelain", "--untracked-files=no").stdout.strip()
    return head.stdout.strip() + ("+" if changed else "")

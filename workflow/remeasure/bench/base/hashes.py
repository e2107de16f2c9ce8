"""Hashes of files."""

import hashlib
from pathlib import Path

from remeasure.bench.base.regular import require_regular


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal. Raises UserError for a pipe or a device."""
    with require_regular(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

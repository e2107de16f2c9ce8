"""The list of releases, data/manifests.sha256: the hash of each manifest.

A manifest proves the files of its campaign; the list proves the manifests, and that a campaign was
released though its manifest is gone. It has the form of sha256sum(1), so that without this software
`cd data && sha256sum -c manifests.sha256` checks it.
"""

import re
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_write

MANIFEST = "manifest.json"
"""name of the manifest in its campaign's folder"""
_LINE = re.compile(rf"([0-9a-f]{{64}})  (raw/[^/\s]+/{re.escape(MANIFEST)})")


def list_beside(manifest: Path) -> Path:
    """The list that has data/raw/<campaign>/manifest.json."""
    return manifest.parents[2] / "manifests.sha256"


def hash_of(manifest: Path) -> str | None:
    """The hash with which a manifest was released; None if it was not. Raises UserError."""
    return _read(list_beside(manifest)).get(_name(manifest))


def check(manifest: Path, found: str) -> None:
    """Check that a manifest whose hash is `found` is as it was released. Raises UserError."""
    expected = hash_of(manifest)
    if expected is None:
        raise UserError(
            f"{manifest}: not in {list_beside(manifest)}; if you trust this campaign, add the "
            f"line: {found}  {_name(manifest)}"
        )
    if found != expected:
        raise UserError(
            f"{manifest}: not as released: sha256 {found}, expected {expected} "
            f"({list_beside(manifest).name}); restore it"
        )


def enter(manifest: Path, found: str) -> None:
    """Add a manifest to the list, which is sorted by campaign."""
    path = list_beside(manifest)
    entries = _read(path) | {_name(manifest): found}
    atomic_write(path, "".join(f"{entries[name]}  {name}\n" for name in sorted(entries)))


def _name(manifest: Path) -> str:
    return f"raw/{manifest.parent.name}/{manifest.name}"


def _read(path: Path) -> dict[str, str]:
    """Path of a manifest within data/ -> its hash. A project without a release has no list."""
    if not path.exists():
        return {}
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_bytes().decode(errors="replace").splitlines(), 1):
        match = _LINE.fullmatch(line)
        if not match or match[2] in found:
            raise UserError(
                f"{path}:{number}: found {line[:60]!r}, expected once for each release: SHA-256, "
                "two spaces, raw/<campaign>/manifest.json; restore it"
            )
        found[match[2]] = match[1]
    return found

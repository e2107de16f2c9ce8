"""Faults of the released campaign of a ground."""

import json

from injections import injection
from remeasure.bench.base.hashes import file_hash
from remeasure.bench.campaign import signed


def _manifest(ground):
    return ground.project.folder / "data/raw" / ground.campaign / "manifest.json"


@injection
def drop_entry(ground, name: str) -> None:
    """The manifest has no file of this name any more."""
    path = _manifest(ground)
    document = json.loads(path.read_text())
    del document["files"][name]
    path.write_text(json.dumps(document))


@injection
def edit_manifest(ground, changes: dict[str, str]) -> None:
    text = _manifest(ground).read_text()
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    _manifest(ground).write_text(text)


@injection
def sign_again(ground, _: bool) -> None:
    """The list of releases has the manifest as it is now."""
    signed.enter(_manifest(ground), file_hash(_manifest(ground)))

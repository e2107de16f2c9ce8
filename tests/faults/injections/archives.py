"""Faults of block archives, and of files in them. A member is named as the archive names it."""

import io
import json
import tarfile
import zipfile
from collections.abc import Callable

from injections import injection
from injections.files import set_field
from remeasure.bench.campaign.staging import TRIALS


def _change(ground, change: Callable[[dict[str, bytes]], None]) -> None:
    """Write the archive again, after `change` has changed its files: name -> content."""
    with zipfile.ZipFile(ground.block) as file:
        block, packed = file.read("block.json"), file.read(TRIALS)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        members = {one.name: tar.extractfile(one).read() for one in tar}
    members["block.json"] = block
    change(members)
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz") as tar:
        for name, content in members.items():
            if "/" in name:
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    alone = {name: content for name, content in members.items() if "/" not in name}
    with zipfile.ZipFile(ground.block, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in (alone | {TRIALS: made.getvalue()}).items():
            file.writestr(name, content)


@injection
def member_replaced(ground, edits: dict[str, dict[str, str]]) -> None:
    """Member -> {text in it: replacement, the first time}."""

    def change(members: dict[str, bytes]) -> None:
        for name, changes in edits.items():
            for old, new in changes.items():
                assert old.encode() in members[name], (name, old)
                members[name] = members[name].replace(old.encode(), new.encode(), 1)

    _change(ground, change)


@injection
def record(ground, edits: dict[str, dict[str, object]]) -> None:
    """Member of JSON -> {dotted field: value}; the value null removes the field."""

    def change(members: dict[str, bytes]) -> None:
        for name, changes in edits.items():
            document = json.loads(members[name])
            for field, value in changes.items():
                set_field(document, field, value)
            members[name] = json.dumps(document).encode()

    _change(ground, change)


@injection
def member_removed(ground, beginnings: list[str]) -> None:
    """Leave out members with these beginnings of names."""

    def change(members: dict[str, bytes]) -> None:
        for name in [name for name in members if name.startswith(tuple(beginnings))]:
            del members[name]

    _change(ground, change)

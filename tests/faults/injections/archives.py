"""Faults of block archives, and of files in them. A member is named as the archive names it."""

import hashlib
import io
import json
import struct
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
def member_is(ground, texts: dict[str, str]) -> None:
    """Member, there or new -> its whole text."""
    _change(ground, lambda members: members.update({n: t.encode() for n, t in texts.items()}))


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


@injection
def member_flipped(ground, name: str) -> None:
    """Change one bit in the middle of the compressed content of a member."""
    with zipfile.ZipFile(ground.block) as file:
        member = file.getinfo(name)
    content = bytearray(ground.block.read_bytes())
    head = member.header_offset
    lengths = struct.unpack_from("<HH", content, head + 26)
    content[head + 30 + sum(lengths) + member.compress_size // 2] ^= 0x10
    ground.block.write_bytes(content)


@injection
def hashes_fit(ground, number: int) -> None:
    """The trial.json of a trial has the present hashes of its files."""
    folder = f"trials/{number:04d}/"

    def change(members: dict[str, bytes]) -> None:
        document = json.loads(members[f"{folder}trial.json"])
        document["members"] = {
            name.removeprefix(folder): hashlib.sha256(content).hexdigest()
            for name, content in members.items()
            if name.startswith(folder) and name != f"{folder}trial.json"
        }
        members[f"{folder}trial.json"] = json.dumps(document).encode()

    _change(ground, change)

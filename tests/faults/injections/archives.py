"""Faults of block archives, and of files in them. A member is named as the archive names it."""

import json
import shutil
import struct
import warnings
import zipfile
from collections.abc import Callable

from injections import injection
from injections.files import _path


def _change(ground, change: Callable[[dict[str, bytes]], None]) -> None:
    """Write the archive anew, after `change` has changed its members: name -> content."""
    with zipfile.ZipFile(ground.block) as file:
        members = {name: file.read(name) for name in file.namelist()}
    change(members)
    with zipfile.ZipFile(ground.block, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)


@injection
def cut(ground, size: int) -> None:
    """Keep so many bytes of the block; a negative number is left out at its end."""
    ground.block.write_bytes(ground.block.read_bytes()[:size])


@injection
def block_is(ground, text: str) -> None:
    """Text instead of the archive."""
    ground.block.write_text(text)


@injection
def block_copied(ground, name: str) -> None:
    """The same archive again, under a name relative to the copy of the project."""
    path = _path(ground, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ground.block, path)


@injection
def member_is(ground, texts: dict[str, str]) -> None:
    """Member, there or new -> its whole text."""
    _change(ground, lambda members: members.update({n: t.encode() for n, t in texts.items()}))


@injection
def member_has_bytes(ground, bytes_of: dict[str, str]) -> None:
    """Member -> its whole content, in hexadecimal digits."""
    _change(
        ground, lambda members: members.update({n: bytes.fromhex(h) for n, h in bytes_of.items()})
    )


@injection
def member_replaced(ground, edits: dict[str, dict[str, str]]) -> None:
    """Member -> {what stands there: what stands there instead, the first time}."""

    def change(members: dict[str, bytes]) -> None:
        for name, changes in edits.items():
            for old, new in changes.items():
                assert old.encode() in members[name], (name, old)
                members[name] = members[name].replace(old.encode(), new.encode(), 1)

    _change(ground, change)


@injection
def member_digits(ground, edits: dict[str, dict[str, int]]) -> None:
    """Member -> {what stands there: how many nines stand there instead}."""
    member_replaced(
        ground,
        {name: {old: "9" * n for old, n in changes.items()} for name, changes in edits.items()},
    )


@injection
def member_nested(ground, depths: dict[str, int]) -> None:
    """Member -> how many lists of JSON are open in it."""
    member_is(ground, {name: "[" * depth for name, depth in depths.items()})


@injection
def record(ground, edits: dict[str, dict[str, object]]) -> None:
    """Member of JSON -> {dotted field: value}; the value null removes the field."""

    def change(members: dict[str, bytes]) -> None:
        for name, changes in edits.items():
            document = json.loads(members[name])
            for field, value in changes.items():
                *parents, last = (int(p) if p.isdigit() else p for p in field.split("."))
                place = document
                for parent in parents:
                    place = place[parent]
                if value is None:
                    del place[last]
                else:
                    place[last] = value
            members[name] = json.dumps(document).encode()

    _change(ground, change)


@injection
def member_removed(ground, beginnings: list[str]) -> None:
    """Leave out members whose names begin so."""

    def change(members: dict[str, bytes]) -> None:
        for name in [name for name in members if name.startswith(tuple(beginnings))]:
            del members[name]

    _change(ground, change)


@injection
def member_twice(ground, edits: dict[str, dict[str, str]]) -> None:
    """A member once more under the same name, with changes as in member-replaced."""
    with zipfile.ZipFile(ground.block, "a") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of zipfile, which sees what is done to it
        for name, changes in edits.items():
            text = file.read(name).decode()
            for old, new in changes.items():
                assert old in text, (name, old)
                text = text.replace(old, new, 1)
            file.writestr(name, text)


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
def member_zeros(ground, sizes: dict[str, int]) -> None:
    """Member -> so many MiB of zeros instead of its content."""
    _change(ground, lambda members: members.update({n: bytes(s << 20) for n, s in sizes.items()}))


@injection
def member_says(ground, sizes: dict[str, int]) -> None:
    """Member -> the size when unpacked that the archive's list gives it [bytes]."""
    content = bytearray(ground.block.read_bytes())
    for name, size in sizes.items():
        # The entry of the list (central directory): its name begins at byte 46, its size at 24.
        at = content.rindex(name.encode()) - 46
        assert content[at : at + 4] == b"PK\x01\x02"
        struct.pack_into("<I", content, at + 24, size)
    ground.block.write_bytes(content)


@injection
def members_say(ground, size: int) -> None:
    """The size when unpacked that the archive's list gives each member [bytes]."""
    with zipfile.ZipFile(ground.block) as file:
        names = file.namelist()
    member_says(ground, dict.fromkeys(names, size))

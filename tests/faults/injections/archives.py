"""Faults of block archives, and of files in them. A member is named as the archive names it."""

import hashlib
import io
import json
import re
import shutil
import struct
import tarfile
import zipfile
from collections.abc import Callable

from injections import injection
from injections.files import _path
from remeasure.bench.campaign.members import TRIALS


def _change(ground, change: Callable[[dict[str, bytes]], None]) -> None:
    """Write the archive anew, after `change` has changed its members: name -> content. Where the
    archive has the files of trials in one tar file, so it has again."""
    with zipfile.ZipFile(ground.block) as file:
        members = {name: file.read(name) for name in file.namelist()}
    packed = members.pop(TRIALS, None)
    if packed is not None:
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            members |= {one.name: tar.extractfile(one).read() for one in tar}
    change(members)
    if packed is not None:
        block = members.pop("block.json")
        members = {"block.json": block, TRIALS: _tar_of(members)}
    with zipfile.ZipFile(ground.block, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)


def _tar_of(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return made.getvalue()


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
def member_delays(ground, delays: dict[str, list[str]]) -> None:
    """Summary of ITGDec -> minimum, maximum, mean and deviations of delays [s], as printed, of its
    flow and of the total."""
    names = "Minimum delay", "Maximum delay", "Average delay", "Average jitter"
    names += ("Delay standard deviation",)

    def change(members: dict[str, bytes]) -> None:
        for member, printed in delays.items():
            text = members[member].decode()
            for name, number in zip(names, printed, strict=True):
                text, count = re.subn(rf"({name} += +)[0-9.]+", rf"\g<1>{number}", text)
                assert count == 2, (member, name)
            members[member] = text.encode()

    _change(ground, change)


@injection
def member_recoded(ground, encodings: dict[str, str]) -> None:
    """Member of text in UTF-8 -> another encoding."""

    def change(members: dict[str, bytes]) -> None:
        for name, encoding in encodings.items():
            members[name] = members[name].decode().encode(encoding)

    _change(ground, change)


@injection
def members_swapped(ground, names: list[str]) -> None:
    """Two members have each other's content."""

    def change(members: dict[str, bytes]) -> None:
        one, other = names
        members[one], members[other] = members[other], members[one]

    _change(ground, change)


@injection
def hashes_fit(ground, number: int) -> None:
    """The trial.json of a trial has the hashes of its files as they are now."""
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


@injection
def entries_dropped(ground, chosen: dict[str, dict[str, dict[str, object]]]) -> None:
    """Member of JSON -> {list in it: {field: value of the entries that are left out}}."""

    def change(members: dict[str, bytes]) -> None:
        for name, lists in chosen.items():
            document = json.loads(members[name])
            for which, fields in lists.items():
                kept = [e for e in document[which] if not fields.items() <= e.items()]
                assert len(kept) < len(document[which])
                document[which] = kept
            members[name] = json.dumps(document).encode()

    _change(ground, change)


@injection
def entry_again(ground, chosen: dict[str, dict[str, int]]) -> None:
    """Member of JSON -> {list in it: place of the entry that is there once more, at the end}."""

    def change(members: dict[str, bytes]) -> None:
        for name, places in chosen.items():
            document = json.loads(members[name])
            for which, place in places.items():
                document[which].append(document[which][place])
            members[name] = json.dumps(document).encode()

    _change(ground, change)


@injection
def campaign_copied(ground, name: str) -> None:
    """The folder of the campaign once more, with another name in all that names it."""
    folder = ground.block.parents[1]
    copy = folder.with_name(name)
    shutil.copytree(folder, copy)
    path = copy / "campaign.yaml"
    path.write_text(path.read_text().replace(f"campaign: {folder.name}", f"campaign: {name}"))
    first, ground.block = ground.block, copy / ground.block.relative_to(folder)
    record(ground, {"block.json": {"campaign": name}})
    ground.block = first


@injection
def tar_cut(ground, size: int) -> None:
    """Keep so many bytes of the tar file of an archive; a negative number is left out at its
    end."""
    with zipfile.ZipFile(ground.block) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members[TRIALS] = members[TRIALS][:size]
    with zipfile.ZipFile(ground.block, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)


@injection
def block_behind(ground, text: str) -> None:
    """Text before the first byte of the archive, as a program that unpacks itself has it."""
    ground.block.write_bytes(text.encode() + ground.block.read_bytes())


@injection
def block_repacked(ground, method: str) -> None:
    """The same members, compressed in another way: STORED, BZIP2 or LZMA."""
    with zipfile.ZipFile(ground.block) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(ground.block, "w", getattr(zipfile, f"ZIP_{method}")) as file:
        for name, content in members.items():
            file.writestr(name, content)


@injection
def member_marked(ground, marks: dict[str, dict[str, int]]) -> None:
    """Member -> {flags, method: what the archive says of how it is stored}."""
    content = bytearray(ground.block.read_bytes())
    with zipfile.ZipFile(ground.block) as file:
        members = {member.filename: member for member in file.infolist()}
    for name, said in marks.items():
        listed = content.rindex(name.encode()) - 46
        for field, at in (("flags", 6), ("method", 8)):
            if field in said:
                struct.pack_into("<H", content, members[name].header_offset + at, said[field])
                struct.pack_into("<H", content, listed + at + 2, said[field])
    ground.block.write_bytes(content)

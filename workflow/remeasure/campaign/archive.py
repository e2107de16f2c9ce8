"""Block archives: a folder of finished trials becomes one deterministic zip, which can be read
back."""

import itertools
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from remeasure.atomic import atomic_path
from remeasure.campaign import format1, format2
from remeasure.campaign.record import CounterEntry, LogEntry, TrialRecord
from remeasure.campaign.structure import check_block, check_trial, check_trials
from remeasure.errors import UserError
from remeasure.testbed.counters import split_kinds

FORMAT = 3
"""version of the format in which archives and campaign.yaml are written; earlier ones can be
read"""
_TRIAL = re.compile(r"trials/(\d{4})/trial\.json")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold
LARGEST_MEMBER, LARGEST_BLOCK = 2**26, 2**32
"""size beyond which a member of an archive, or all of them together, are not read [bytes]. In
released blocks they are at most 0.6 and 30 MB"""
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)
"""what zipfile raises for an archive that is damaged, or not of its kind"""


def pack(folder: Path, archive: Path) -> None:
    """Write every file of `folder` into the zip `archive`. The same files always give the same
    bytes."""
    with (
        atomic_path(archive) as part,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zip_file,
    ):
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            zip_file.writestr(info, path.read_bytes())


def check_format(found: int) -> int:
    """`found`, the version of a format. Raises ValueError if this software is too old to read
    it."""
    if found > FORMAT:
        raise ValueError(f"expected at most {FORMAT}; use a newer version of this software")
    return found


@dataclass(frozen=True)
class Trial:
    """One finished trial as its block stored it."""

    folder: str
    """path within the archive"""
    record: TrialRecord
    """content of trial.json, converted to the present format"""


class BlockArchive:
    """A packed block, read in the present format, whichever format it was written in.

    Raises UserError naming the file if it cannot be read, or does not have the structure of a
    block (structure.py).
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise UserError(f"{path}: no such block") from None
        except _DAMAGE as error:
            raise UserError(f"{path}: not a block archive ({error})") from None
        self._members = _members(path, self._zip.infolist())
        self._unread = set(self._members)
        document = self._json("block.json")
        self._format = self._format_of(document)
        if self._format == 1:
            document = _upgraded(format1.upgrade_block, document)
        if self._format <= 2:
            document = _upgraded(format2.upgrade_block, document)
        check_block(f"{path}: block.json", document)
        self.block: dict = document
        """content of block.json: a BlockRecord, with further facts"""

    @property
    def members(self) -> Collection[str]:
        """Names of the files in the archive."""
        return self._members.keys()

    def _format_of(self, document: object) -> int:
        found = document.get("format", FORMAT) if isinstance(document, dict) else FORMAT
        try:
            if type(found) is not int or found < 1:
                raise ValueError(f"expected 1 to {FORMAT}")
            return check_format(found)
        except ValueError as error:
            raise UserError(f"{self.path}: format: {error} (found {found})") from None

    @cached_property
    def trials(self) -> list[Trial]:
        """Finished trials, in the order in which they were measured."""
        found = filter(None, map(_TRIAL.fullmatch, sorted(self._members)))
        trials = [Trial(f"trials/{match[1]}", self._record(int(match[1]))) for match in found]
        records = [trial.record for trial in trials]
        check_trials(self.path, self.block, records, self._members)
        return trials

    def _record(self, number: int) -> TrialRecord:
        name = f"trials/{number:04d}/trial.json"
        document = self._json(name)
        if self._format == 1:
            document = _upgraded(format1.upgrade_trial, document)
        check_trial(f"{self.path}: {name}", number, document)
        return document

    def read(self, name: str) -> bytes:
        """Content of one file, as it was stored. Raises UserError if it is missing or its checksum
        is wrong."""
        if name not in self._members:
            raise UserError(f"{self.path}: {name}: not in the archive")
        member = self._members[name]
        try:
            with self._zip.open(member) as file:
                # No more than was declared is unpacked, whatever is there.
                content = file.read(member.file_size)
        except _DAMAGE as error:
            raise UserError(f"{self.path}: {name}: damaged ({error}); restore it") from None
        if len(content) != member.file_size:
            raise UserError(f"{self.path}: {name}: damaged (it ends early); restore it")
        self._unread.discard(name)
        return content

    def read_rest(self) -> None:
        """Read what was not read yet, such as proofs, of which no table is made. Raises UserError
        if it is damaged."""
        for name in sorted(self._unread):
            self.read(name)

    def logs(self, trial: Trial) -> Iterator[tuple[LogEntry, bytes]]:
        """Each probe log of a trial: its entry in trial.json, and its content."""
        for entry in trial.record["logs"]:
            yield entry, self.read(f"{trial.folder}/{entry['file']}")

    def counters(self, trial: Trial) -> Iterator[tuple[CounterEntry, dict[str, str]]]:
        """Each file of counters of a trial: its entry in trial.json, and for each kind of counters
        what its command printed (see testbed.counters)."""
        for entry in trial.record["counters"]:
            name = f"{trial.folder}/{entry['file']}"
            try:
                text = self.read(name).decode()
            except UnicodeDecodeError as error:
                raise UserError(f"{self.path}/{name}: not UTF-8 text ({error})") from None
            if self._format == 1:
                text = format1.upgrade_counters(entry["kind"], text)
            yield entry, split_kinds(text)

    def _json(self, name: str) -> Any:
        """The document in one file. Raises UserError."""
        content = self.read(name)
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{self.path}: {name}: not JSON ({error})") from None


def _members(path: Path, listed: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The members of an archive by name, from its own list. Raises UserError for a list that no
    block has, before any of them is unpacked."""
    members: dict[str, zipfile.ZipInfo] = {}
    for member in listed:
        name = member.filename
        if name in members:
            raise UserError(f"{path}: {name}: twice in the archive; restore it")
        if name.startswith("/") or ".." in name.split("/"):
            raise UserError(f"{path}: {name}: outside the archive; restore it")
        if member.file_size > LARGEST_MEMBER:
            raise UserError(
                f"{path}: {name}: {member.file_size} bytes when unpacked, expected at most "
                f"{LARGEST_MEMBER}"
            )
        members[name] = member
    if (size := sum(member.file_size for member in listed)) > LARGEST_BLOCK:
        raise UserError(f"{path}: {size} bytes when unpacked, expected at most {LARGEST_BLOCK}")
    if "block.json" not in members:
        raise UserError(f"{path}: not a block archive (no block.json in it)")
    return members


def _upgraded(upgrade: Callable[[Any], Any], document: Any) -> Any:
    """A document of an earlier format in a later one; one that lacks what its format has is left as
    it is, for the check of its fields to refuse."""
    try:
        return upgrade(document)
    except (KeyError, TypeError, AttributeError):
        return document


def first_difference(one: Path, other: Path) -> str | None:
    """The first file, and line of it, in which two archives differ, in words; None if they are the
    same byte by byte. Raises UserError if one cannot be read."""
    if one.read_bytes() == other.read_bytes():
        return None
    first, second = BlockArchive(one), BlockArchive(other)
    names = sorted({*first.members, *second.members})
    for name in names:
        for archive in (first, second):
            if name not in archive.members:
                return f"{name} is missing in {archive.path}"
        a, b = (archive.read(name) for archive in (first, second))
        if a != b:
            return f"{name}, {_first_line(a, b)}"
    return "not in any file, but in how they are packed"


def _first_line(a: bytes, b: bytes) -> str:
    pairs = itertools.zip_longest(a.splitlines(), b.splitlines(), fillvalue=b"(no line)")
    for number, (one, other) in enumerate(pairs, 1):
        if one != other:
            return f"line {number}: {one[:100]!r} and {other[:100]!r}"
    return "the end of a line"

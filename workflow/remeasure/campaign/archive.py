"""Block archives: a folder of finished trials becomes one deterministic zip, which can be read
back."""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from remeasure.atomic import atomic_path
from remeasure.campaign import format1
from remeasure.campaign.record import CounterEntry, LogEntry, TrialRecord
from remeasure.errors import UserError
from remeasure.testbed.counters import split_kinds

FORMAT = 2
"""version of the format in which archives and campaign.yaml are written; earlier ones can be
read"""
_TRIAL = re.compile(r"trials/\d{4}/trial\.json")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold


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

    Raises UserError naming the file if it cannot be read.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
            self.block: dict = json.loads(self._zip.read("block.json"))
        except FileNotFoundError:
            raise UserError(f"{path}: no such block") from None
        except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
            raise UserError(f"{path}: not a block archive ({error})") from None
        self._format = self.block.get("format", FORMAT)
        try:
            check_format(self._format)
        except ValueError as error:
            raise UserError(f"{path}: format: {error} (found {self._format})") from None
        if self._format == 1:
            self.block = format1.upgrade_block(self.block)

    @cached_property
    def trials(self) -> list[Trial]:
        """Finished trials, in the order in which they were measured."""
        names = sorted(n for n in self._zip.namelist() if _TRIAL.fullmatch(n))
        return [Trial(n.rpartition("/")[0], self._record(n)) for n in names]

    def _record(self, name: str) -> TrialRecord:
        record: TrialRecord = json.loads(self.read(name))
        return format1.upgrade_trial(record) if self._format == 1 else record

    def read(self, name: str) -> bytes:
        """Content of one file, as it was stored. Raises UserError if it is missing or its checksum
        is wrong."""
        try:
            return self._zip.read(name)
        except (KeyError, zipfile.BadZipFile) as error:
            raise UserError(f"{self.path}: {name}: {error}") from None

    def logs(self, trial: Trial) -> Iterator[tuple[LogEntry, bytes]]:
        """Each probe log of a trial: its entry in trial.json, and its content."""
        for entry in trial.record["logs"]:
            yield entry, self.read(f"{trial.folder}/{entry['file']}")

    def counters(self, trial: Trial) -> Iterator[tuple[CounterEntry, dict[str, str]]]:
        """Each file of counters of a trial: its entry in trial.json, and for each kind of counters
        what its command printed (see testbed.counters)."""
        for entry in trial.record["counters"]:
            text = self.read(f"{trial.folder}/{entry['file']}").decode()
            if self._format == 1:
                text = format1.upgrade_counters(entry["kind"], text)
            yield entry, split_kinds(text)

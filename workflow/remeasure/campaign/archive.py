"""Block archives: a folder of finished trials in, one deterministic zip out, and back."""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from remeasure.atomic import atomic_path
from remeasure.errors import UserError

FORMAT = 1
"""of the archive; a later one reads all earlier ones"""
_TRIAL = re.compile(r"trials/\d{4}/trial\.json")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold


def pack(folder: Path, archive: Path) -> None:
    """Write every file of `folder` into `archive`: the same bytes from the same files."""
    with (
        atomic_path(archive) as part,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zip_file,
    ):
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            zip_file.writestr(info, path.read_bytes())


@dataclass(frozen=True)
class Trial:
    """One finished attempt, as it was stored."""

    folder: str
    """within the archive"""
    record: dict
    """trial.json"""


class BlockArchive:
    """A block as its zip has it. Raises UserError naming the file if it cannot be read."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
            self.block: dict = json.loads(self._zip.read("block.json"))
        except FileNotFoundError:
            raise UserError(f"{path}: no such block") from None
        except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
            raise UserError(f"{path}: not a block archive ({error})") from None
        if self.block.get("format", FORMAT) > FORMAT:
            raise UserError(
                f"{path}: format {self.block['format']}, expected at most {FORMAT}; "
                "use a newer version of this software"
            )

    @cached_property
    def trials(self) -> list[Trial]:
        """Finished trials, in the order they were measured."""
        names = sorted(n for n in self._zip.namelist() if _TRIAL.fullmatch(n))
        return [Trial(n.rpartition("/")[0], json.loads(self.read(n))) for n in names]

    def read(self, name: str) -> bytes:
        """One file. Raises UserError if it is missing or its checksum is wrong."""
        try:
            return self._zip.read(name)
        except (KeyError, zipfile.BadZipFile) as error:
            raise UserError(f"{self.path}: {name}: {error}") from None

    def logs(self, trial: Trial) -> Iterator[tuple[dict, bytes]]:
        """Every probe log of a trial: its entry in trial.json, and its content."""
        for entry in trial.record["logs"]:
            yield entry, self.read(f"{trial.folder}/{entry['file']}")

"""What came out each time a released block in virtual time was measured again, and on which
machine: one committed table for all campaigns.

A released campaign never changes, so later measurements of its blocks cannot be kept beside them.
Measurements before the release are (campaign/virtual_blocks.py).
"""

import csv
import getpass
import io
import platform
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.atomic import atomic_write
from remeasure.bench.base.hashes import file_hash
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.virtual_blocks import Measurement

TABLE = ROOT / "data" / "captured" / "repeated.csv"
_HASH = "^[0-9a-f]{64}$"


class Repetition(config.Strict):
    """One row of the table."""

    campaign: str
    scenario: str
    block: int = Field(ge=1)
    released: str = Field(pattern=_HASH)
    """SHA-256 of the released archive, in hexadecimal"""
    found: str = Field(pattern=_HASH)
    """SHA-256 of the archive that came out, in hexadecimal"""
    same: Literal["yes", "no"]
    """whether both archives have the same bytes"""
    software: str
    """commit of this repository that measured"""
    date: str = Field(pattern=r"^[0-9]{4}-[0-9][0-9]-[0-9][0-9]$")
    """day on which the measurement began (UTC)"""
    seconds: float = Field(ge=0)
    """how long the measurement took on the machine [s]"""
    cpu: str
    """model of the machine's processor"""
    cpus: int = Field(ge=1)
    """number of the machine's processors"""
    kernel: str
    """the machine's kernel"""
    system: str
    """the machine's distribution"""
    user: str
    """name of the user who measured, as the machine knows it"""

    @model_validator(mode="after")
    def _hashes_say_the_same(self) -> "Repetition":
        expected = "yes" if self.found == self.released else "no"
        if self.same != expected:
            raise ValueError(f"same: found {self.same!r}, expected {expected!r} by the two hashes")
        return self


def repetition_of(archive: Path, measured: Measurement) -> Repetition:
    """The row of a measurement that was made on this machine just now, of the block `archive`."""
    released = file_hash(archive)
    return Repetition(
        campaign=archive.parent.parent.name,
        scenario=archive.parent.name,
        block=int(archive.stem.removeprefix("block-")),
        released=released,
        found=measured.sha256,
        same="yes" if measured.sha256 == released else "no",
        software=measured.software,
        date=measured.start[:10],
        seconds=measured.seconds,
        cpu=str(measured.machine["cpu"]),
        cpus=int(measured.machine["cpus"]),
        kernel=str(measured.machine["kernel"]),
        system=_system(),
        user=getpass.getuser(),
    )


def _system() -> str:
    """Name of this machine's distribution; the kernel's name where no file names one."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def read_repetitions(path: Path = TABLE) -> list[Repetition]:
    """The rows of the table in their order; none if there is no table. Raises UserError naming file
    and line."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return [
            config.validate(Repetition, _typed(row), f"{path}: line {reader.line_num}")
            for row in reader
        ]


def _typed(row: dict[str, str]) -> dict[str, object]:
    """A row with its numbers as numbers; what is no number is left for the model to refuse."""
    typed: dict[str, object] = dict(row)
    for name, kind in (("block", int), ("cpus", int), ("seconds", float)):
        try:
            typed[name] = kind(row[name])
        except (KeyError, TypeError, ValueError):
            continue
    return typed


def add_repetition(one: Repetition, path: Path = TABLE) -> None:
    """Append a row to the table. Raises UserError if the table is damaged."""
    text = io.StringIO()
    table = csv.DictWriter(text, list(Repetition.model_fields), lineterminator="\n")
    table.writeheader()
    table.writerows(row.model_dump() for row in [*read_repetitions(path), one])
    atomic_write(path, text.getvalue())

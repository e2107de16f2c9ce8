"""Block archives: a finished block, read back in the present format. Since format 4 a file of
counters has all readings of one host in a trial, in their order, each under a line with its
place."""

import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import RootModel

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_json
from remeasure.bench.campaign import formats
from remeasure.bench.campaign.record import BlockRecord, CounterEntry, LogEntry, TrialRecord
from remeasure.bench.campaign.staging import BLOCK, Members
from remeasure.bench.testbed.watching.counters import split_kinds

FORMAT = 4
"""version of the format of archives and campaign.yaml; earlier ones can be read"""
START = "start"
"""in place of a probe's name before the first"""
_HEADING = re.compile(r"^##### reading ([0-9]+) of .*$", re.MULTILINE)
_LEFT_TO_CHECK = suppress(KeyError, TypeError, AttributeError)
"""a document of an earlier format without some field stays as it is: the check of fields refuses
it"""
_TRIAL = re.compile(r"(trials/([0-9]{4}))/trial\.json")
_EARLIER = re.compile(r"(trials/[0-9]{4}\.attempt-[0-9]+)/trial\.json")


def check_format(found: int) -> int:
    """`found`, the version of a format. Raises ValueError if this software is too old to read
    it."""
    if found > FORMAT:
        raise ValueError(f"expected at most {FORMAT}; use a newer version of this software")
    return found


class CountersReading(NamedTuple):
    """One reading of the counters of a host."""

    line: int
    """number of the line of its file at which it begins, from 1"""
    text: str
    """output of the host"""


def counters_file(host: str) -> str:
    return f"counters.{host}.txt"


def reading(entry: CounterEntry, text: str) -> str:
    """The entry of one reading, in which the host printed `text`, in the file of its counters. The
    line above it is '##### reading 3 of gw1, after tcp 2 (load=0.5)', without a number of a run if
    none has ended since the reading before: 'start', 'after tcp'."""
    levels = ", ".join(f"{factor}={level}" for factor, level in entry["levels"].items())
    of = entry["after"] if entry["after"] == START else f"after {entry['after']}"
    run = f" {entry['repeat']}" if entry["repeat"] else ""
    head = f"##### reading {entry['number']} of {entry['host']}, {of}{run}"
    head += f" ({levels})" if levels else ""
    return f"{head}\n{text}" + ("" if text.endswith("\n") else "\n")


def _split_readings(text: str) -> dict[int, CountersReading]:
    found: dict[int, CountersReading] = {}
    marks, line = [*_HEADING.finditer(text)], 1
    for mark, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)], strict=True):
        content = text[mark.end() + 1 : end]
        found[int(mark[1])] = CountersReading(line, content)
        line += 1 + content.count("\n")
    return found


def number_of(path: Path, block: Mapping[str, Any]) -> int:
    """Number of a block in tables: in a campaign by the name of its file. The record (`block`) of a
    first version of a block that was measured again has another number (tidy.tables)."""
    named = path.stem.removeprefix("block-")
    in_campaign = (path.parent.parent / "campaign.yaml").exists()
    return int(named) if in_campaign and named.isdecimal() else int(block["block"])


class StoredTrial(NamedTuple):
    """One finished trial as its block stored it."""

    folder: str
    """path within the archive"""
    record: TrialRecord
    """content of trial.json, converted to the present format"""


class BlockArchive:
    """A packed block, read in the present format, whichever format it was written in. Raises
    UserError naming the file if it cannot be read, does not have the structure of a block
    (record.py), or has a file with another hash than in its trial.json."""

    def __init__(self, path: Path):
        self.path = path
        self.members = Members(path)
        """the files in the archive"""
        self._read: set[str] = set()
        document: Any = read_json(f"{path}: {BLOCK}", self.members[BLOCK])
        self._format = self._format_of(document)
        if self._format <= 2:
            with _LEFT_TO_CHECK:
                document = formats.upgrade_block(document)
        config.validate(RootModel[BlockRecord], document, f"{path}: {BLOCK}")
        self.block: dict[str, Any] = document
        """content of block.json: a BlockRecord, with further facts"""
        self.number = number_of(path, self.block)
        """number of the block in tables"""

    def _format_of(self, document: object) -> int:
        found = document.get("format", FORMAT) if isinstance(document, dict) else FORMAT
        try:
            return check_format(found)
        except (ValueError, TypeError) as error:
            raise UserError(f"{self.path}: format: {error} (found {found})") from None

    @cached_property
    def trials(self) -> list[StoredTrial]:
        """The finished trials that count, in the order of the block."""
        found = [*filter(None, map(_TRIAL.fullmatch, sorted(self.members)))]
        numbers = [int(match[2]) for match in found]
        planned = range(1, len(self.block["order"]) + 1)
        if missing := sorted({*planned} - {*numbers}):
            raise UserError(
                f"{self.path}: trials/{missing[0]:04d}/trial.json: not there, but block.json plans "
                f"{len(planned)} trials (order) and {len(numbers)} are there; restore the archive"
            )
        return [StoredTrial(match[1], self._record(match[1])) for match in found]

    @cached_property
    def measured_again(self) -> list[StoredTrial]:
        """Finished attempts that were at another pace than the block (campaign.pace), and count
        nowhere; an interrupted attempt has no record."""
        found = filter(None, map(_EARLIER.fullmatch, sorted(self.members)))
        return [StoredTrial(match[1], self._record(match[1])) for match in found]

    def _record(self, folder: str) -> TrialRecord:
        name, number = f"{folder}/trial.json", int(folder.split("/")[1][:4])
        source = f"{self.path}: {name}"
        document: Any = read_json(source, self.members[name])
        if self._format == 1:
            with _LEFT_TO_CHECK:
                document = formats.upgrade_trial(document)
        config.validate(RootModel[TrialRecord], document, source)
        record: TrialRecord = document
        if record["order"] != number:
            raise UserError(f"{source}: order: found {record['order']}, expected {number}")
        if self._format >= 4 and "members" not in record:
            raise UserError(f"{source}: members: required, but not there")
        return record

    @cached_property
    def _hashes(self) -> dict[str, str]:
        """Hash of each file in a trial.json."""
        return {
            f"{trial.folder}/{file}": hash_
            for trial in (*self.trials, *self.measured_again)
            for file, hash_ in trial.record.get("members", {}).items()
        }

    def read(self, name: str) -> bytes:
        """Content of one file, as it was stored. Raises UserError if it is missing, or its checksum
        or hash is wrong."""
        content = self.members[name]
        if self._format >= 4 and (expected := self._hashes.get(name)):
            found = hashlib.sha256(content).hexdigest()
            if found != expected:
                raise UserError(
                    f"{self.path}: {name}: sha256 {found}, expected {expected}, as its trial.json "
                    "has it; restore it"
                )
        self._read.add(name)
        return content

    def read_rest(self) -> None:
        """Read the remaining files, such as proofs, of which no table is made. Raises UserError if
        one is damaged, or missing though a trial.json lists it."""
        for name in sorted({*self.members, *self._hashes} - self._read):
            self.read(name)

    def logs(self, trial: StoredTrial) -> Iterator[tuple[LogEntry, bytes]]:
        """Each probe log of a trial: its entry in trial.json, and its content."""
        for entry in trial.record["logs"]:
            yield entry, self.read(f"{trial.folder}/{entry['file']}")

    def counters(self, trial: StoredTrial) -> Iterator[tuple[CounterEntry, dict[str, str]]]:
        """Each reading of the counters of a host: its entry in trial.json, and for each kind of
        counters the output of its command (see testbed.watching.counters)."""
        readings = cache(partial(self._readings, trial))
        for entry in trial.record["counters"]:
            yield entry, split_kinds(readings(entry["file"])[entry["number"]].text)

    def line_of_reading(self, name: str, row: Mapping[str, object]) -> int | None:
        """Number of the line at which the reading behind a row of counters.parquet begins; None for
        a file with one reading, or none. `name`: the file; `row`: column -> value."""
        for trial in self.trials:
            for entry in trial.record["counters"] if "members" in trial.record else ():
                levels = entry["levels"].items()
                if (
                    name == f"{trial.folder}/{entry['file']}"
                    and (entry["after"], entry["repeat"]) == (row["probe"], row["repeat"])
                    and all(str(row[factor]) == level for factor, level in levels)
                ):
                    return self._readings(trial, entry["file"])[entry["number"]].line
        return None

    def _readings(self, trial: StoredTrial, file: str) -> dict[int, CountersReading]:
        """The readings in one file, by their numbers. Raises UserError unless trial.json lists the
        same."""
        name = f"{trial.folder}/{file}"
        try:
            text = self.read(name).decode()
        except UnicodeDecodeError as error:
            raise UserError(f"{self.path}/{name}: not UTF-8 text ({error})") from None
        entries = [entry for entry in trial.record["counters"] if entry["file"] == file]
        if "members" in trial.record:  # later software may have finished a block of format 3
            found = _split_readings(text)
            if [*found] != [entry["number"] for entry in entries]:
                raise UserError(f"{self.path}/{name}: not the readings of trial.json; restore it")
            return found
        if self._format == 1:
            text = formats.upgrade_counters(entries[0]["kind"], text)
        return {entry["number"]: CountersReading(1, text) for entry in entries}


def first_difference(one: Path, other: Path) -> str | None:
    """The first line in which files of two archives differ, in words; None if the archives are the
    same byte by byte. Raises UserError if one cannot be read."""
    if one.read_bytes() == other.read_bytes():
        return None
    first, second = Members(one), Members(other)
    for name in sorted({*first, *second}):
        both = [of[name].splitlines() if name in of else () for of in (first, second)]
        pairs = itertools.zip_longest(*both, fillvalue=b"(no line)")
        for number, (a, b) in enumerate(pairs, 1):
            if a != b:
                return f"{name}, line {number}: {a[:100]!r} and {b[:100]!r}"
    return "not in any line, but in how lines end or files are packed"

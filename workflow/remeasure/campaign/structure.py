"""What a block archive must hold, whatever tools wrote its logs: block.json and a trial.json for
each planned trial, of the fields in block_record.py and record.py, which agree with each other.

Each function raises UserError naming the file, its field, what was found and what was expected.
"""

import datetime
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from pydantic import BaseModel, RootModel, ValidationError

from remeasure.campaign.block_record import BlockRecord
from remeasure.campaign.consistency import check_record
from remeasure.campaign.record import TrialRecord
from remeasure.columns import NAMES
from remeasure.config import sentence
from remeasure.errors import UserError

_SHOWN = 3
"""number of wrong fields that a message names"""
PROOF = "proof."
"""how the names of files begin that no field of trial.json names: what proves a treatment"""


class _Block(RootModel[BlockRecord]):
    pass


class _Trial(RootModel[TrialRecord]):
    pass


def check_block(source: str, document: object) -> None:
    """Check block.json; `source` names it in messages."""
    _check_fields(_Block, source, document)
    order: list[dict[str, str]] = document["order"]  # type: ignore[index]
    for place, cell in enumerate(order):
        if list(cell) != list(order[0]):
            raise UserError(
                f"{source}: order.{place}: factors {', '.join(cell) or 'none'}, expected "
                f"{', '.join(order[0]) or 'some'}, as in order.0"
            )
        if cell in order[:place]:
            raise UserError(f"{source}: order.{place}: a cell that was planned before: {cell}")
    for factor in order[0]:
        if factor in NAMES:
            raise UserError(f"{source}: order.0.{factor}: the tables have a column of this name")
    _check_sessions(source, document["sessions"])  # type: ignore[index]


def _check_sessions(source: str, sessions: Sequence[dict[str, Any]]) -> None:
    """Check that sessions follow each other, and tell one time for their beginning."""
    last = 0
    for place, session in enumerate(sessions):
        where, start = f"{source}: sessions.{place}", session["start_ns"]
        words = datetime.datetime.fromtimestamp(start / 1e9, datetime.UTC)
        if session["start"] != (expected := words.isoformat(timespec="seconds")):
            raise UserError(
                f"{where}.start: found {session['start']}, expected {expected}, which is start_ns"
            )
        if start < last:
            raise UserError(f"{where}.start_ns: found {start}, expected more than {last}")
        last = start


def check_trial(source: str, number: int, document: object, hashed: bool) -> None:
    """Check the trial.json in the folder of trial `number`, by itself; `hashed`: whether it must
    have the hashes of the trial's files."""
    _check_fields(_Trial, source, document)
    record: TrialRecord = document  # type: ignore[assignment]
    if record["order"] != number:
        raise UserError(f"{source}: order: found {record['order']}, expected {number}")
    if hashed and "members" not in record:
        raise UserError(f"{source}: members: required, but not there")
    check_record(source, record)


def check_trials(
    path: Path, block: Mapping[str, Any], trials: Sequence[TrialRecord], members: Set[str]
) -> None:
    """Check trials against the block that planned them, and against the `members` of the archive
    `path`."""
    numbers = {record["order"] for record in trials}
    planned = len(block["order"])
    if missing := sorted(set(range(1, planned + 1)) - numbers):
        raise UserError(
            f"{path}: trials/{missing[0]:04d}/trial.json: not there, but block.json plans "
            f"{planned} trials (order) and {len(numbers)} are there; restore the archive"
        )
    files: dict[str, set[str]] = {}
    for name in members:
        folder, _, file = name.rpartition("/")
        files.setdefault(folder, set()).add(file)
    for record in trials:
        folder = f"trials/{record['order']:04d}"
        _check_place(path, block, record)
        _check_members(path, record, files.pop(folder))
        earlier = [files.pop(name) for name in sorted(files) if name.startswith(f"{folder}.")]
        if len(earlier) >= record["attempt"]:  # an attempt may have left nothing
            raise UserError(
                f"{path}: {folder}/trial.json: attempt: found {record['attempt']}, expected more "
                f"than {len(earlier)}, as the archive has what {len(earlier)} before it left"
            )
    _check_times(path, trials)
    if folders := sorted(folder for folder in files if folder):
        raise UserError(f"{path}: {folders[0]}: in the archive without a trial.json; restore it")


def _check_times(path: Path, trials: Sequence[TrialRecord]) -> None:
    """Check that each undisturbed trial began after the one before it ended."""
    last = 0
    for record in trials:
        if record["verdict"] == "accepted":
            if record["start_ns"] < last:
                raise UserError(
                    f"{path}: trials/{record['order']:04d}/trial.json: start_ns: found "
                    f"{record['start_ns']}, expected at least {last}, when the trial before it "
                    "ended"
                )
            last = record["end_ns"]


def _check_place(path: Path, block: Mapping[str, Any], record: TrialRecord) -> None:
    """Check a trial against what its block planned, and against its sessions."""
    source, planned = f"{path}: trials/{record['order']:04d}/trial.json", len(block["order"])
    if record["order"] > planned:
        raise UserError(f"{source}: order: expected at most {planned}, as block.json plans")
    expected = block["order"][record["order"] - 1]
    if record["cell"] != expected:
        raise UserError(
            f"{source}: cell: found {record['cell']}, expected {expected}, as block.json plans"
        )
    if record["verdict"] == "rejected":
        return
    sessions = block["sessions"]
    if not sessions:
        raise UserError(
            f"{path}: block.json: sessions: none, expected the session of trial "
            f"{record['order']}, which is {record['verdict']}"
        )
    if record["start_ns"] < sessions[0]["start_ns"]:
        raise UserError(
            f"{source}: start_ns: found {record['start_ns']}, expected more than "
            f"{sessions[0]['start_ns']}, when the first session began (block.json)"
        )
    present = [s for s in sessions if s["start_ns"] <= record["start_ns"]][-1]
    named = {f"counters.{at}": [one["host"]] for at, one in enumerate(record["counters"])}
    for at, run in enumerate(record.get("runs", [])):
        named[f"runs.{at}.processors"] = [*run.get("processors", {})]
    for where, hosts in named.items():
        if unknown := [host for host in hosts if host not in present["hosts"]]:
            raise UserError(
                f"{source}: {where}: found host {unknown[0]!r}, expected one of "
                f"{', '.join(present['hosts'])}, as block.json has them"
            )


def _check_members(path: Path, record: TrialRecord, files: Set[str]) -> None:
    """Check that a trial has the files that its trial.json lists, and no other."""
    folder = f"{path}: trials/{record['order']:04d}"
    listed = {"trial.json"}
    for field in ("logs", "counters"):
        for place, entry in enumerate(record[field]):
            if entry["file"] not in files:
                raise UserError(
                    f"{folder}/trial.json: {field}.{place}.file: {entry['file']} is not in the "
                    "archive"
                )
            listed.add(entry["file"])
    if "members" in record and (gone := sorted(record["members"].keys() - files)):
        raise UserError(f"{folder}/trial.json: members: {gone[0]} is not in the archive")
    hashed = record.get("members", files)
    for file in sorted(files - listed):
        if not file.startswith(PROOF) or file not in hashed:
            raise UserError(
                f"{folder}/{file}: in the archive, but its trial.json does not list it; restore it"
            )
    if unhashed := sorted(listed - {"trial.json"} - set(hashed)):
        raise UserError(
            f"{folder}/trial.json: members: found no hash of {unhashed[0]}, expected one"
        )


def _check_fields(model: type[BaseModel], source: str, document: object) -> None:
    if not isinstance(document, dict):
        raise UserError(f"{source}: found a JSON {type(document).__name__}, expected an object")
    try:
        model.model_validate(document)
    except ValidationError as error:
        wrong = [sentence(model, one) for one in error.errors()]
        more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
        raise UserError(f"{source}: {'; '.join([*wrong[:_SHOWN], *more])}") from None

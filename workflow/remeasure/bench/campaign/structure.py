"""What a block archive must hold, whatever tools wrote its logs: block.json and a trial.json for
each planned trial, of the fields in block_record.py and record.py. Hashes show that a file was
changed later (archive.py, release.py).

Each function raises UserError naming the file, its field, what was found and what was expected.
"""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from pydantic import BaseModel, RootModel, ValidationError

from remeasure.bench.base.columns import NAMES
from remeasure.bench.base.config import sentence
from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.block_record import BlockRecord
from remeasure.bench.campaign.record import TrialRecord

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


def check_trial(source: str, number: int, document: object, hashed: bool) -> None:
    """Check the trial.json in the folder of trial `number`, by itself; `hashed`: whether it must
    have the hashes of the trial's files."""
    _check_fields(_Trial, source, document)
    record: TrialRecord = document  # type: ignore[assignment]
    if record["order"] != number:
        raise UserError(f"{source}: order: found {record['order']}, expected {number}")
    if hashed and "members" not in record:
        raise UserError(f"{source}: members: required, but not there")


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
        _check_cell(path, block, record)
        _check_members(path, record, files[f"trials/{record['order']:04d}"])


def _check_cell(path: Path, block: Mapping[str, Any], record: TrialRecord) -> None:
    """Check that a trial is of the cell that its block planned."""
    source, planned = f"{path}: trials/{record['order']:04d}/trial.json", len(block["order"])
    if record["order"] > planned:
        raise UserError(f"{source}: order: expected at most {planned}, as block.json plans")
    expected = block["order"][record["order"] - 1]
    if record["cell"] != expected:
        raise UserError(
            f"{source}: cell: found {record['cell']}, expected {expected}, as block.json plans"
        )


def _check_members(path: Path, record: TrialRecord, files: Set[str]) -> None:
    """Check that the archive has the files that a trial.json lists, each with a hash."""
    where = f"{path}: trials/{record['order']:04d}/trial.json"
    hashed = record.get("members", files)
    for field in ("logs", "counters"):
        for place, entry in enumerate(record[field]):
            if entry["file"] not in files:
                raise UserError(
                    f"{where}: {field}.{place}.file: {entry['file']} is not in the archive"
                )
            if entry["file"] not in hashed:
                raise UserError(f"{where}: members: found no hash of {entry['file']}")
    if gone := sorted(set(hashed) - files):
        raise UserError(f"{where}: members: {gone[0]} is not in the archive")


def _check_fields(model: type[BaseModel], source: str, document: object) -> None:
    if not isinstance(document, dict):
        raise UserError(f"{source}: found a JSON {type(document).__name__}, expected an object")
    try:
        model.model_validate(document)
    except ValidationError as error:
        wrong = [sentence(model, one) for one in error.errors()]
        more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
        raise UserError(f"{source}: {'; '.join([*wrong[:_SHOWN], *more])}") from None

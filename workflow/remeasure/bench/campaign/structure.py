"""What a block archive must hold, whatever tools wrote its logs: block.json and a trial.json for
each planned trial, of the fields in block_record.py and record.py. Hashes show that a file was
changed later (archive.py, release.py).

Each function raises UserError naming the file, its field, what was found and what was expected.
"""

from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from pydantic import BaseModel, RootModel, ValidationError

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


def check_trial(source: str, document: object, hashed: bool) -> None:
    """Check a trial.json by itself; `hashed`: whether it must have the hashes of its files."""
    _check_fields(_Trial, source, document)
    if hashed and "members" not in document:  # type: ignore[operator]
        raise UserError(f"{source}: members: required, but not there")


def check_trials(
    path: Path, block: Mapping[str, Any], trials: Mapping[int, TrialRecord], members: Set[str]
) -> None:
    """Check trials, by the numbers of their folders, against the block that planned them, and
    against the `members` of the archive `path`."""
    order = block["order"]
    if missing := sorted(set(range(1, len(order) + 1)) - trials.keys()):
        raise UserError(
            f"{path}: trials/{missing[0]:04d}/trial.json: not there, but block.json plans "
            f"{len(order)} trials (order) and {len(trials)} are there; restore the archive"
        )
    for number, record in trials.items():
        folder = f"trials/{number:04d}"
        expected = order[number - 1] if number <= len(order) else None
        if record["cell"] != expected or record["order"] != number:
            raise UserError(
                f"{path}: {folder}/trial.json: cell: found {record['cell']} as trial "
                f"{record['order']}, expected {expected}, as block.json plans"
            )
        if gone := [
            file for file in record.get("members", {}) if f"{folder}/{file}" not in members
        ]:
            raise UserError(
                f"{path}: {folder}/trial.json: members: {gone[0]} is not in the archive"
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

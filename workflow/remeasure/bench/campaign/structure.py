"""What a block archive must have, whatever tools wrote its logs: block.json and a trial.json for
each planned trial, with the fields in block_record.py and record.py. Hashes show that a file was
changed later (archive.py, release.py).

Each function raises UserError naming the file, its field, what was found and what was expected.
"""

from collections.abc import Set
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


class _Block(RootModel[BlockRecord]):
    pass


class _Trial(RootModel[TrialRecord]):
    pass


def check_block(source: str, document: Any) -> None:
    """Check block.json; `source` names it in messages."""
    _check_fields(_Block, source, document)
    for factor in document["order"][0]:
        if factor in NAMES:
            raise UserError(f"{source}: order.0.{factor}: the tables have a column of this name")


def check_trial(source: str, number: int, document: Any, hashed: bool) -> None:
    """Check the trial.json in the folder of trial `number`; `hashed`: whether it must have the
    hashes of the trial's files."""
    _check_fields(_Trial, source, document)
    if document["order"] != number:
        raise UserError(f"{source}: order: found {document['order']}, expected {number}")
    if hashed and "members" not in document:
        raise UserError(f"{source}: members: required, but not there")


def check_complete(path: Path, planned: int, numbers: Set[int]) -> None:
    """Check that the archive `path` has each of its planned trials; `numbers`: those it has."""
    if missing := sorted(set(range(1, planned + 1)) - numbers):
        raise UserError(
            f"{path}: trials/{missing[0]:04d}/trial.json: not there, but block.json plans "
            f"{planned} trials (order) and {len(numbers)} are there; restore the archive"
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

"""What a block archive must hold, whatever tools wrote its logs: block.json and a trial.json for
each planned trial, of the fields in block_record.py and record.py, which agree with each other.

Each function raises UserError naming the file, its field, what was found and what was expected.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError

from remeasure.campaign.block_record import BlockRecord
from remeasure.campaign.record import RunEntry, TrialRecord
from remeasure.columns import NAMES
from remeasure.config import sentence
from remeasure.errors import UserError

_EXACT = ConfigDict(strict=True, allow_inf_nan=False)
_SHOWN = 3
"""number of wrong fields that a message names"""


class _Block(RootModel[BlockRecord]):
    model_config = _EXACT


class _Trial(RootModel[TrialRecord]):
    model_config = _EXACT


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


def check_trial(source: str, number: int, document: object) -> None:
    """Check the trial.json in the folder of trial `number`, by itself."""
    _check_fields(_Trial, source, document)
    record: TrialRecord = document  # type: ignore[assignment]
    if record["order"] != number:
        raise UserError(f"{source}: order: found {record['order']}, expected {number}")
    if record["verdict"] == "accepted":
        _check_times(source, record, record["probe_ns"])
        for place, run in enumerate(record.get("runs", [])):
            # A run that was disturbed says so, and its trial may count without it.
            if run.get("verdict") != "suspect":
                _check_times(f"{source}: runs.{place}", run)


def _check_times(where: str, one: TrialRecord | RunEntry, inside_ns: int = 0) -> None:
    """Check that something ended after it began, and had time for `inside_ns` [ns]."""
    start, end = one["start_ns"], one["end_ns"]
    if end <= start:
        raise UserError(f"{where}: end_ns: found {end}, expected more than start_ns, {start}")
    if inside_ns > end - start:
        raise UserError(
            f"{where}: probe_ns: found {inside_ns}, expected at most {end - start}, which is "
            "end_ns less start_ns"
        )


def check_trials(
    path: Path, block: Mapping, trials: Sequence[TrialRecord], members: Collection[str]
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
    for record in trials:
        folder = f"trials/{record['order']:04d}"
        source = f"{path}: {folder}/trial.json"
        if record["order"] > planned:
            raise UserError(f"{source}: order: expected at most {planned}, as block.json plans")
        expected = block["order"][record["order"] - 1]
        if record["cell"] != expected:
            raise UserError(
                f"{source}: cell: found {record['cell']}, expected {expected}, as block.json plans"
            )
        for field in ("logs", "counters"):
            for place, entry in enumerate(record[field]):
                if f"{folder}/{entry['file']}" not in members:
                    raise UserError(
                        f"{source}: {field}.{place}.file: {entry['file']} is not in the archive"
                    )
        if record["verdict"] != "rejected" and not block["sessions"]:
            raise UserError(
                f"{path}: block.json: sessions: none, expected that of trial {record['order']}, "
                f"which is {record['verdict']}"
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

"""Writing the tables of a scenario, block by block: memory does not grow with the data."""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from remeasure.campaign.archive import BlockArchive
from remeasure.columns import KEYS, TABLES, Table
from remeasure.errors import UserError
from remeasure.tidy.rows import (
    Row,
    check_rows,
    counter_rows,
    observation_rows,
    run_rows,
    trial_rows,
    within_factors,
)

_ROWS: dict[str, Callable[[BlockArchive], Iterable[Row]]] = {
    "trials": trial_rows,
    "runs": run_rows,
    "observations": observation_rows,
    "counters": counter_rows,
    "checks": check_rows,
}
_TYPES = {
    "word": pa.dictionary(pa.int32(), pa.string()),
    "text": pa.string(),
    "integer": pa.int32(),
    "large integer": pa.int64(),
    "number": pa.float64(),
    "truth": pa.bool_(),
    "time": pa.timestamp("ns", tz="UTC"),
}


def write_tables(blocks: Sequence[Path], folder: Path) -> None:
    """Write <folder>/<table>.parquet for every table, from the blocks of one scenario.

    Raises UserError for a block or a log that cannot be read; then no table is left behind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    between, within = _factors(blocks)
    schemas = {name: _schema(table, between, within) for name, table in TABLES.items()}
    parts = {name: folder / f"{name}.parquet.part" for name in TABLES}
    try:
        with contextlib.ExitStack() as stack:
            writers = {
                name: stack.enter_context(pq.ParquetWriter(part, schemas[name], compression="zstd"))
                for name, part in parts.items()
            }
            for path in blocks:
                archive = BlockArchive(path)
                for name, writer in writers.items():
                    rows = list(_ROWS[name](archive))
                    writer.write_table(pa.Table.from_pylist(rows, schema=schemas[name]))
        for name, part in parts.items():
            os.replace(part, folder / f"{name}.parquet")
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _factors(blocks: Sequence[Path]) -> tuple[list[str], list[str]]:
    """The factors that vary between trials, and those that vary within a trial.

    Raises UserError naming a block whose cells have other factors than those of the first block.
    """
    between: list[str] = []
    # A trial that was rejected early has no flows, so one block may not show all of them.
    within: dict[str, None] = {}
    for path in blocks:
        archive = BlockArchive(path)
        found = list(archive.block["order"][0])
        between = between or found
        if found != between:
            raise UserError(f"{path}: factors {found}, expected {between} as in {blocks[0]}")
        within |= within_factors(archive)
    return between, list(within)


def _schema(table: Table, between: list[str], within: list[str]) -> pa.Schema:
    """The Arrow schema of a table; its metadata tells which columns are factors."""
    within = within if table.varies_within else []
    factors = [*between, *within]
    return pa.schema(
        [
            *((column.name, _TYPES[column.type]) for column in KEYS),
            *((factor, _TYPES["word"]) for factor in factors),
            *((column.name, _TYPES[column.type]) for column in table.columns),
        ],
        metadata={"factors": json.dumps(factors), "within": json.dumps(within)},
    )

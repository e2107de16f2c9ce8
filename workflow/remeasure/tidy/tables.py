"""Writing the tables of a scenario, block by block: memory does not grow with the data.

Each Parquet file says what it holds (tidy.described). A factor is an ordered category, with its
levels in the order of the scenario's file.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from remeasure.campaign.archive import BlockArchive
from remeasure.campaign.folder import in_campaign
from remeasure.columns import KEYS, TABLES, Table
from remeasure.errors import UserError
from remeasure.tidy.described import described_schema
from remeasure.tidy.given import check_levels, check_place, require_different, require_distinct
from remeasure.tidy.parquet import WRITTEN
from remeasure.tidy.rows import (
    Row,
    check_rows,
    counter_rows,
    levels_within,
    observation_rows,
    run_rows,
    trial_rows,
)

_ROWS: dict[str, Callable[[BlockArchive], Iterable[Row]]] = {
    "trials": trial_rows,
    "runs": run_rows,
    "observations": observation_rows,
    "counters": counter_rows,
    "checks": check_rows,
}
_LEVEL = pa.dictionary(pa.int32(), pa.string(), ordered=True)

Levels = dict[str, list[str]]
"""factor -> its levels, in their order"""


def write_tables(blocks: Sequence[Path], folder: Path) -> None:
    """Write <folder>/<table>.parquet for every table, from the blocks of one scenario.

    Raises UserError for a block or a log that cannot be read; then no table is left behind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    between, within = factors_of(blocks)
    schemas = {name: _schema(table, between, within) for name, table in TABLES.items()}
    parts = {name: folder / f"{name}.parquet.part" for name in TABLES}
    levels = between | within
    try:
        with contextlib.ExitStack() as stack:
            writers = {
                name: stack.enter_context(pq.ParquetWriter(part, schemas[name], **WRITTEN))
                for name, part in parts.items()
            }
            for path in blocks:
                archive = BlockArchive(path)
                check_levels(archive, levels)
                for name, writer in writers.items():
                    writer.write_table(_arrow(list(_ROWS[name](archive)), schemas[name], levels))
                archive.read_rest()
        for name, part in parts.items():
            os.replace(part, folder / f"{name}.parquet")
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def factors_of(blocks: Sequence[Path]) -> tuple[Levels, Levels]:
    """The factors that vary between trials, and those that vary within a trial. Their levels are in
    the order of the scenarios that the campaigns froze; of blocks that belong to no campaign, in
    that of the trials.

    Raises UserError naming a block that is given twice, does not belong where it lies, or has cells
    of other factors than those of the first block.
    """
    opened = {path: BlockArchive(path).block for path in require_distinct(blocks)}
    factors = list(opened[blocks[0]]["order"][0])
    between: Levels = {factor: [] for factor in factors}
    within: Levels = {}
    for path, block in opened.items():
        found = list(block["order"][0])
        if found != factors:
            raise UserError(f"{path}: factors {found}, expected {factors} as in {blocks[0]}")
    for folder in dict.fromkeys(path.parent for path in blocks):
        here = {path: block for path, block in opened.items() if path.parent == folder}
        if in_campaign(next(iter(here))):
            scenario = check_place(here)
            for factor, levels in scenario.design.factors.items():
                _add(between, factor, levels)
            for cell in scenario.all_cells:
                for probe in scenario.settings(cell).probes.values():
                    for factor, level in probe.levels.items():
                        _add(within, factor, [level])
    require_different(opened)
    for path, block in opened.items():
        if not in_campaign(path):
            for cell in block["order"]:
                for factor, level in cell.items():
                    _add(between, factor, [level])
            for factor, level in levels_within(BlockArchive(path)):
                _add(within, factor, [level])
    return between, within


def _add(levels: Levels, factor: str, found: Iterable[str]) -> None:
    known = levels.setdefault(factor, [])
    known += [level for level in map(str, found) if level not in known]


def _arrow(rows: list[Row], schema: pa.Schema, levels: Mapping[str, list[str]]) -> pa.Table:
    """Rows as a table in which each factor knows all its levels, in their order."""
    plain = [field.with_type(pa.string()) if field.type == _LEVEL else field for field in schema]
    made = pa.Table.from_pylist(rows, schema=pa.schema(plain))
    columns = [
        _ordered(made.column(field.name), levels[field.name])
        if field.type == _LEVEL
        else made.column(field.name)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _ordered(column: pa.ChunkedArray, levels: list[str]) -> pa.DictionaryArray:
    known = pa.array(levels, pa.string())
    places = pc.index_in(column.combine_chunks(), value_set=known)
    return pa.DictionaryArray.from_arrays(places, known, ordered=True)


def _schema(table: Table, between: Levels, within: Levels) -> pa.Schema:
    """The Arrow schema of a table; its metadata tells which columns are factors."""
    within = within if table.varies_within else {}
    factors = [_factor(name, levels) for name, levels in (between | within).items()]
    return described_schema(
        table.row,
        [*KEYS, *factors, *table.columns],
        {"factors": json.dumps([*between, *within]), "within": json.dumps([*within])},
    )


def _factor(name: str, levels: list[str]) -> pa.Field:
    about = {"type": "word", "unit": "", "meaning": "level of this factor"}
    return pa.field(name, _LEVEL, metadata=about | {"levels": json.dumps(levels)})

"""Writing the tables of a scenario, block by block, so that memory does not grow with the data."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from remeasure.campaign.archive import BlockArchive
from remeasure.errors import UserError
from remeasure.tidy.rows import (
    Row,
    counter_rows,
    observation_rows,
    trial_rows,
    within_factors,
)

_TEXT = pa.dictionary(pa.int32(), pa.string())
_KEYS = [("campaign", _TEXT), ("scenario", _TEXT), ("block", pa.int32()), ("trial", pa.int32())]
_TABLES: dict[str, tuple[Callable[[BlockArchive], Iterable[Row]], list]] = {
    "trials": (
        trial_rows,
        [
            ("attempt", pa.int32()),
            ("verdict", _TEXT),
            ("reasons", pa.string()),
            ("start", pa.timestamp("ns", tz="UTC")),
            ("duration", pa.float64()),
            ("probe_share", pa.float64()),
            ("checks", pa.int32()),
            ("checks_passed", pa.int32()),
            ("busy", pa.float64()),
            ("steal", pa.float64()),
            ("foreign", pa.float64()),
            ("os", pa.string()),
            ("backend", pa.string()),
            ("accelerator", pa.string()),
            ("guest_cpus", pa.int64()),
            ("machine_cpus", pa.int64()),
        ],
    ),
    "observations": (
        observation_rows,
        [
            ("probe", _TEXT),
            ("tool", _TEXT),
            ("repeat", pa.int32()),
            ("metric", _TEXT),
            ("index", pa.int32()),
            ("value", pa.float64()),
            ("unit", _TEXT),
            ("side", _TEXT),
            ("file", _TEXT),
            ("line", pa.int32()),
        ],
    ),
    "counters": (
        counter_rows,
        [
            ("probe", _TEXT),
            ("repeat", pa.int32()),
            ("host", _TEXT),
            ("counter", _TEXT),
            ("change", pa.int64()),
            ("file", _TEXT),
        ],
    ),
}
TABLES = tuple(_TABLES)


def write_tables(blocks: Sequence[Path], folder: Path) -> None:
    """Write <folder>/<table>.parquet for every table, from the blocks of one scenario.

    Raises UserError for a block or a log that cannot be read; then no table is left behind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    factors = list(BlockArchive(blocks[0]).block["order"][0])
    # A trial that was rejected early has no flows, so one block may not show all of them.
    within: dict[str, None] = {}
    for path in blocks:
        within |= within_factors(BlockArchive(path))
    parts = {name: folder / f"{name}.parquet.part" for name in TABLES}
    try:
        for name, (rows, columns) in _TABLES.items():
            names = factors if name == "trials" else [*factors, *within]
            schema = pa.schema([*_KEYS, *((factor, _TEXT) for factor in names), *columns])
            with pq.ParquetWriter(parts[name], schema, compression="zstd") as writer:
                for path in blocks:
                    archive = BlockArchive(path)
                    found = list(archive.block["order"][0])
                    if found != factors:
                        raise UserError(
                            f"{path}: factors {found}, expected {factors} as in {blocks[0]}"
                        )
                    table = pa.Table.from_pylist(list(rows(archive)), schema=schema)
                    writer.write_table(table)
        for name, part in parts.items():
            os.replace(part, folder / f"{name}.parquet")
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)

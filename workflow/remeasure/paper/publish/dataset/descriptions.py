"""What a table of data/tidy says of itself: the description in the metadata of its Parquet file."""

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from remeasure.bench.base.errors import UserError
from remeasure.paper.tidy.parquet import read_parquet


@dataclass(frozen=True)
class Field:
    """One column."""

    name: str
    type: str
    """a type of columns.Type"""
    unit: str
    meaning: str
    levels: tuple[str, ...] = ()
    """of a factor: its levels, in their order"""


@dataclass(frozen=True)
class Described:
    """One table."""

    path: Path
    """relative to the folder of the dataset"""
    name: str
    """name in lists of resources: scenario and table"""
    row: str
    """what one row is"""
    rows: int
    fields: tuple[Field, ...]


def describe(folder: Path, path: Path) -> Described:
    """The description of `path`, a Parquet file in `folder`. Raises UserError if the file has
    none."""
    table = read_parquet(path)
    metadata = table.schema.metadata or {}
    if b"row" not in metadata:
        raise UserError(f"{path}: does not say what it holds; make it again with snakemake")
    relative = path.relative_to(folder)
    return Described(
        relative,
        "-".join([*relative.parent.parts[-1:], relative.stem]),
        metadata[b"row"].decode(),
        table.num_rows,
        tuple(_field(path, field) for field in table.schema),
    )


def _field(path: Path, field: pa.Field) -> Field:
    known = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
    try:
        return Field(
            field.name,
            known["type"],
            known["unit"],
            known["meaning"],
            tuple(json.loads(known.get("levels", "[]"))),
        )
    except KeyError as missing:
        raise UserError(
            f"{path}: column {field.name}: {missing} is not described; make the table again with "
            "snakemake"
        ) from None

"""Parquet files: writing, reading, metadata, and columns of numbers. A file has the title, version,
licence and citation of the dataset, the meaning of a row, and the type, unit and meaning of each
column. Pages have checksums, which are compared. Next to a factor that is a quantity
(campaign.quantities) is a column of its numbers."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from remeasure.bench.base.columns import Column
from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.quantities import FactorQuantity
from remeasure.paper.publication import load_publication

WRITTEN: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
"""options of every file that is written"""

PREVIEW = "preview"
"""key in the metadata of a table made from an unfinished campaign: its mark"""
TYPES = {
    "word": pa.dictionary(pa.int32(), pa.string()),
    "text": pa.string(),
    "integer": pa.int32(),
    "large integer": pa.int64(),
    "number": pa.float64(),
    "truth": pa.bool_(),
    "time": pa.timestamp("ns", tz="UTC"),
}


def described_schema(
    row: str, fields: Iterable[Column | pa.Field], more: Mapping[str, str]
) -> pa.Schema:
    """The Arrow schema of a table. `row`: the meaning of one row; `more`: further metadata of the
    file."""
    publication = load_publication()
    about = {
        "row": row,
        "title": publication.title,
        "version": publication.version,
        "licence": publication.data_licence,
        "citation": publication.cite(),
    }
    made = [field if isinstance(field, pa.Field) else described_field(field) for field in fields]
    return pa.schema(made, metadata=about | dict(more))


def described_field(column: Column) -> pa.Field:
    """The column in an Arrow schema, with its description."""
    about = {"type": column.type, "unit": column.unit, "meaning": column.meaning}
    return pa.field(column.name, TYPES[column.type], metadata=about)


FACTOR = "factor"
"""key in the metadata of a numeric column: its factor"""


class Numeric(NamedTuple):
    factor: str
    """the factor next to the column"""
    column: Column


def numeric_columns(
    campaigns: Iterable[Mapping[str, FactorQuantity]], taken: Collection[str]
) -> list[Numeric]:
    """The columns for the factors that are quantities in some of the campaigns. `campaigns`: factor
    -> quantity, of each; `taken`: names of other columns."""
    found: dict[tuple[str, str], Numeric] = {}
    for quantities in campaigns:
        for factor, quantity in quantities.items():
            names = {*taken, *(numeric.column.name for numeric in found.values())}
            name = _name(factor, quantity.unit)
            column = Column(
                f"{factor}_value" if name in names else name,
                "number",
                quantity.unit,
                f"`{factor}` as a number: {quantity.meaning}",
            )
            found.setdefault((factor, quantity.unit), Numeric(factor, column))
    return list(found.values())


def numeric_field(numeric: Numeric) -> pa.Field:
    """The column in an Arrow schema."""
    field = described_field(numeric.column)
    return field.with_metadata({**field.metadata, FACTOR: numeric.factor})


def _name(factor: str, unit: str) -> str:
    """'rtt_ms', 'rate_mbit_s'; only the factor's name if it ends in its unit."""
    ending = "_" + re.sub(r"\W+", "_", unit.lower().replace("%", "percent")).strip("_")
    return factor if factor.endswith(ending) else factor + ending


def numbers(
    levels: pa.ChunkedArray, numeric: Numeric, quantities: Mapping[str, FactorQuantity]
) -> pa.Array:
    """The column for rows of one campaign, from the `levels` of the factor as text; null if the
    factor is no quantity of this unit, or does not apply."""
    quantity = quantities.get(numeric.factor)
    values = quantity.values if quantity and quantity.unit == numeric.column.unit else {}
    places = pc.index_in(levels.combine_chunks(), value_set=pa.array([*values], pa.string()))
    return pa.array([*values.values()], pa.float64()).take(places)


def read_parquet(path: Path, filters: Sequence[tuple[Any, ...]] | None = None) -> pa.Table:
    """The table in a file; `filters`: (column, operator, value) of the rows to read. Raises
    UserError if the file is missing or damaged."""
    try:
        return pq.read_table(path, filters=filters, page_checksum_verification=True)
    except FileNotFoundError:
        raise UserError(f"{path}: no such table; make it with snakemake") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        raise UserError(f"{path}: damaged table ({why}); make it again with snakemake") from None

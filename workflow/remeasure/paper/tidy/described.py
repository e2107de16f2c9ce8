"""What a Parquet file says of itself: title, version, licence and citation of the dataset, what one
row is, and the type, unit and meaning of each column."""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from remeasure.bench.base.columns import Column
from remeasure.paper.publication import load_publication

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
    """The Arrow schema of a table. `row`: what one row is; `more`: further metadata of the
    file."""
    publication = load_publication()
    about = {
        "row": row,
        "title": publication.title,
        "version": publication.version,
        "licence": publication.licences.data,
        "citation": publication.cite(),
    }
    made = [field if isinstance(field, pa.Field) else described_field(field) for field in fields]
    return pa.schema(made, metadata=about | dict(more))


def described_field(column: Column) -> pa.Field:
    """The column in an Arrow schema, with its description."""
    about = {"type": column.type, "unit": column.unit, "meaning": column.meaning}
    return pa.field(column.name, TYPES[column.type], metadata=about)

"""How Parquet files are written and read: each page has a checksum, which is compared."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from remeasure.columns import KEYS, TABLES
from remeasure.errors import UserError
from remeasure.regular import require_regular
from remeasure.tidy.described import TYPES

WRITTEN: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
"""options of every file that is written"""

_KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "text": lambda of: pa.types.is_string(of) or pa.types.is_large_string(of),
    "whole numbers": pa.types.is_integer,
    "numbers": pa.types.is_floating,
    "truths": pa.types.is_boolean,
    "times": pa.types.is_timestamp,
}


def read_parquet(path: Path, filters: Sequence[tuple[Any, ...]] | None = None) -> pa.Table:
    """The table in a file; `filters`: (column, operator, value) of the rows to read. Raises
    UserError if the file is missing or damaged, or is one of columns.TABLES without one of its
    columns, or with one of another type."""
    try:
        require_columns(path, pq.read_schema(require_regular(path)))
        return pq.read_table(path, filters=filters, page_checksum_verification=True)
    except FileNotFoundError:
        raise UserError(f"{path}: no such table; make it with snakemake") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        raise UserError(f"{path}: damaged table ({why}); make it again with snakemake") from None


def require_columns(path: Path, found: pa.Schema) -> None:
    """Check the columns of one of columns.TABLES, which is named after its file. Raises UserError
    naming a column that is missing or of another type."""
    if path.stem not in TABLES:
        return
    for column in (*KEYS, *TABLES[path.stem].columns):
        places = found.get_all_field_indices(column.name)
        kinds = [_kind(found.field(place).type) for place in places]
        expected = _kind(TYPES[column.type])
        if kinds != [expected]:
            raise UserError(
                f"{path}: {column.name}: found {' and '.join(kinds) or 'no such column'}, expected "
                f"one column of {expected}; make it again with snakemake"
            )


def _kind(type_: pa.DataType) -> str:
    """What a column holds, however it is stored: other programs choose other widths."""
    if pa.types.is_dictionary(type_):
        return _kind(type_.value_type)
    for kind, is_of in _KINDS.items():
        if is_of(type_):
            return kind
    return str(type_)

"""How Parquet files are written and read: each page has a checksum, which is compared."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from remeasure.bench.base.columns import KEYS, TABLES
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import require_regular
from remeasure.bench.probes import PROBES
from remeasure.paper.tidy.described import TYPES

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
    columns, with one of another type, or with a value that cannot be true."""
    try:
        require_columns(path, pq.read_schema(require_regular(path)))
        table = pq.read_table(path, filters=filters, page_checksum_verification=True)
    except FileNotFoundError:
        raise UserError(f"{path}: no such table; make it with snakemake") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        raise UserError(f"{path}: damaged table ({why}); make it again with snakemake") from None
    if path.stem == "observations":
        require_values(path, table)
    return table


def require_values(path: Path, observations: pa.Table) -> None:
    """Raises UserError naming a metric with a value that cannot be true (probes.metrics)."""
    names = {name: observations[name].cast(pa.string()) for name in ("tool", "metric")}
    values = observations["value"]
    # `min` and `max` pass over what is missing or no number.
    finite = pc.if_else(pc.fill_null(pc.is_finite(values), False), values, math.inf)
    table = pa.table({**names, "value": finite}).group_by([*names])
    for row in table.aggregate([("value", "min"), ("value", "max")]).to_pylist():
        if row["tool"] not in PROBES:
            raise UserError(f"{path}: tool: found {row['tool']}, expected a probe")
        metric = PROBES[row["tool"]].metrics.of(row["metric"])
        for value in (row["value_min"], row["value_max"]):
            if expected := metric.impossible(value):
                raise UserError(
                    f"{path}: value: found {value:g} of {row['metric']}, expected {expected}; make "
                    "it again with snakemake"
                )


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

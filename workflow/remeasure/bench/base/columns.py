"""The tables that `remeasure tidy` writes, and their columns (columns.yaml). They are the source of
the schema of the Parquet files, of the codebook in data/README.md, and of the names that no factor
can have. A new column is an entry of columns.yaml and a value in tidy/rows.py."""

import re
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from remeasure.bench.base.files import read_yaml

Type = Literal["word", "text", "integer", "large integer", "number", "truth", "time"]
"""word: text of few different values; integer: 32 bits; large integer: 64 bits; number: 64-bit
floating point; time: ns since the epoch, UTC"""


class Column(NamedTuple):
    """One column of a table."""

    name: str
    type: Type
    unit: str
    """unit as the codebook prints it; empty if the value has none"""
    meaning: str
    """the contents of the column: one plain sentence or phrase, in Markdown"""


class Table(NamedTuple):
    """One table: a file <name>.parquet per scenario. Its columns are KEYS, one of type word per
    factor, one of numbers next to each quantity, and `columns`, in this order."""

    name: str
    row: str
    """the meaning of a row"""
    varies_within: bool
    """True if the table also has a column for each factor that varies within a trial"""
    columns: tuple[Column, ...]


def read_tables(path: Path, **words: str) -> dict[str, Table]:
    """Name -> table, from a file such as columns.yaml. `words`: name in braces -> its text."""
    found = {}
    for name, table in cast(dict[str, Any], read_yaml(path)).items():
        columns = []
        for column, of in table["columns"].items():
            [(heading, meaning)] = of.items()
            [(kind, unit)] = re.findall(r"^([a-z ]+?)(?: \[(.+)\])?$", heading)
            columns.append(Column(column, cast(Type, kind), unit, meaning.format(**words)))
        found[name] = Table(name, table["row"], table["varies_within"], tuple(columns))
    return found


TABLES = read_tables(Path(__file__).with_name("columns.yaml"))
"""name -> table, in the order in which they are written"""
KEYS = TABLES.pop("keys").columns
"""the columns with which every table begins"""

NAMES = frozenset(
    column.name for columns in (KEYS, *(t.columns for t in TABLES.values())) for column in columns
)
"""names of all columns that are no factor"""

RESERVED = NAMES | {
    *("low", "high", "n", "limit", "where", "may_be", "reading"),
    *("quantity", "cells", "made_by"),
}
"""names that no factor can have: names of columns, of fields of an estimate, of fields that
describe a run's rate, and of the table of estimates"""

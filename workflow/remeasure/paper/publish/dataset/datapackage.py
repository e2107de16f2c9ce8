"""The Data Package of the tables, from the descriptions in the metadata of their Parquet files."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash
from remeasure.paper.publication import Publication
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
    """the meaning of a row"""
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


PACKAGE = "datapackage.json"
_TYPES = {
    "word": "string",
    "text": "string",
    "integer": "integer",
    "large integer": "integer",
    "number": "number",
    "truth": "boolean",
    "time": "datetime",
}
_FORMATS = {".parquet": "application/vnd.apache.parquet", ".csv": "text/csv"}
_LICENCES = {
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "MIT": "https://opensource.org/license/mit",
}


def datapackage(
    publication: Publication, folder: Path, tables: Iterable[Described]
) -> dict[str, Any]:
    """The document for the tables in `folder`."""
    links = {
        "homepage": publication.known("site"),
        "id": f"https://doi.org/{publication.doi}" if publication.known("doi") else None,
    }
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "ipsec-remeasured",
        "title": publication.title,
        "description": publication.about,
        "version": publication.version,
        "created": f"{publication.date.isoformat()}T00:00:00Z",
        "keywords": publication.keywords,
        "licenses": [licence(publication.licences.data)],
        "contributors": [
            {"title": author.whole, "roles": ["author"]} for author in publication.authors
        ],
        **{key: value for key, value in links.items() if value},
        # Validators take a table without rows for a broken file.
        "resources": [_resource(folder, table) for table in tables if table.rows],
    }


def licence(identifier: str) -> dict[str, str]:
    """A licence in the form of Data Package; `identifier` is SPDX's."""
    return {"name": identifier, "path": _LICENCES[identifier]}


def _resource(folder: Path, table: Described) -> dict[str, Any]:
    path = folder / table.path
    return {
        "name": table.name,
        "path": table.path.as_posix(),
        "description": f"One row is {table.row}.",
        "format": path.suffix[1:],
        "mediatype": _FORMATS[path.suffix],
        "hash": f"sha256:{file_hash(path)}",
        "schema": {"fields": [_column(field) for field in table.fields], "missingValues": [""]},
    }


def _column(field: Field) -> dict[str, Any]:
    described: dict[str, object] = {
        "name": field.name,
        "type": _TYPES[field.type],
        "description": field.meaning,
    }
    if field.unit:
        described["unit"] = field.unit
    if field.levels:
        described |= {"categories": list(field.levels), "categoriesOrdered": True}
    return described

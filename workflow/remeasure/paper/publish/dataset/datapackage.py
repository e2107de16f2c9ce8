"""The Data Package of the tables, from the descriptions in the metadata of their Parquet files."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from remeasure.bench.base.files import file_hash
from remeasure.paper.publication import Publication
from remeasure.paper.tidy.parquet import read_parquet

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
    publication: Publication, folder: Path, tables: Iterable[tuple[Path, Path]]
) -> dict[str, Any]:
    """The document for tables in `folder`: of each its path there, and the Parquet file that
    describes it."""
    data = publication.licences.data
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
        "licenses": [{"name": data, "path": _LICENCES[data]}],
        "contributors": [
            {"title": author.whole, "roles": ["author"]} for author in publication.authors
        ],
        **{key: value for key, value in links.items() if value},
        "resources": [one for table in tables for one in _resource(folder, *table)],
    }


def _resource(folder: Path, path: Path, source: Path) -> Iterator[dict[str, Any]]:
    """Yield the description of a table, unless it has no rows: validators take such a table for a
    broken file."""
    table = read_parquet(source)
    if table.num_rows:
        row, fields = table.schema.metadata[b"row"], [_column(field) for field in table.schema]
        yield {
            "name": "-".join([*path.parent.parts[-1:], path.stem]),
            "path": path.as_posix(),
            "description": f"One row is {row.decode()}.",
            "format": path.suffix[1:],
            "mediatype": _FORMATS[path.suffix],
            "hash": f"sha256:{file_hash(folder / path)}",
            "schema": {"fields": fields, "missingValues": [""]},
        }


def _column(field: pa.Field) -> dict[str, Any]:
    known = {key.decode(): value.decode() for key, value in field.metadata.items()}
    described: dict[str, object] = {
        "name": field.name,
        "type": _TYPES[known["type"]],
        "description": known["meaning"],
    }
    if known["unit"]:
        described["unit"] = known["unit"]
    if levels := json.loads(known.get("levels", "[]")):
        described |= {"categories": levels, "categoriesOrdered": True}
    return described

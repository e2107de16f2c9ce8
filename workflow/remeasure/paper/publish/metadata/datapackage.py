"""datapackage.json: the tables for programs (Data Package 2, datapackage.org)."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from remeasure.bench.base.hashes import file_hash
from remeasure.paper.publication import Publication
from remeasure.paper.publish.dataset.descriptions import Described, Field

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
    """A licence as Data Package names it; `identifier` is SPDX's."""
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
        "schema": {"fields": [_field(field) for field in table.fields], "missingValues": [""]},
    }


def _field(field: Field) -> dict[str, Any]:
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

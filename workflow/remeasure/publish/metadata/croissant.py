"""croissant.json: the tables for machine learning (Croissant 1.0, docs.mlcommons.org/croissant)."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from remeasure.hashes import file_hash
from remeasure.publication import Publication
from remeasure.publish.dataset.descriptions import Described, Field
from remeasure.publish.metadata.datapackage import licence

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {
    "word": "sc:Text",
    "text": "sc:Text",
    "integer": "sc:Integer",
    "large integer": "sc:Integer",
    "number": "sc:Float",
    "truth": "sc:Boolean",
    "time": "sc:DateTime",
}


def croissant(
    publication: Publication, folder: Path, tables: Iterable[Described]
) -> dict[str, Any]:
    """The document for the tables in `folder`."""
    tables = list(tables)
    links = {
        "url": publication.known("site"),
        "sameAs": f"https://doi.org/{publication.doi}" if publication.known("doi") else None,
    }
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "ipsec-remeasured",
        "description": publication.about,
        "version": publication.version,
        "datePublished": publication.date.isoformat(),
        "license": licence(publication.licences.data)["path"],
        "keywords": publication.keywords,
        "creator": [{"@type": "Organization", "name": a.whole} for a in publication.authors],
        "citeAs": publication.cite(),
        **{key: value for key, value in links.items() if value},
        "distribution": [_file(folder, table) for table in tables],
        "recordSet": [_records(table) for table in tables],
    }


def _file(folder: Path, table: Described) -> dict[str, Any]:
    path = folder / table.path
    return {
        "@type": "cr:FileObject",
        "@id": table.path.as_posix(),
        "name": table.path.name,
        "contentUrl": table.path.as_posix(),
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file_hash(path),
    }


def _records(table: Described) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": f"One record is {table.row}.",
        "field": [_field(table, field) for field in table.fields],
    }


def _field(table: Described, field: Field) -> dict[str, Any]:
    unit = f" [{field.unit}]" if field.unit else ""
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{field.name}",
        "name": field.name,
        "description": f"{field.meaning}{unit}",
        "dataType": _TYPES[field.type],
        "source": {
            "fileObject": {"@id": table.path.as_posix()},
            "extract": {"column": field.name},
        },
    }

"""ro-crate-metadata.json: what a release holds, and how its parts hang together (RO-Crate 1.1)."""

from collections.abc import Mapping
from typing import Any

from remeasure.publication import Author, Publication
from remeasure.publish.metadata.datapackage import licence

_MEDIA = {
    ".parquet": "application/vnd.apache.parquet",
    ".csv": "text/csv",
    ".zip": "application/zip",
    ".pdf": "application/pdf",
    ".md": "text/markdown",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".gz": "application/gzip",
}


_DESCRIBED = {
    "@id": "ro-crate-metadata.json",
    "@type": "CreativeWork",
    "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    "about": {"@id": "./"},
}


def ro_crate(
    publication: Publication, folders: Mapping[str, str], files: Mapping[str, int]
) -> dict[str, Any]:
    """The document. `folders`: path with a slash at its end -> what it holds; `files`: path ->
    size [bytes]. Paths are relative to the release."""
    authors = [_person(author) for author in publication.authors]
    links = {
        "url": publication.known("site"),
        "identifier": f"https://doi.org/{publication.doi}" if publication.known("doi") else None,
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": publication.title,
        "description": publication.about,
        "version": publication.version,
        "datePublished": publication.date.isoformat(),
        "license": {"@id": licence(publication.licences.data)["path"]},
        "author": [{"@id": author["@id"]} for author in authors],
        "keywords": ", ".join(publication.keywords),
        **{key: value for key, value in links.items() if value},
        "hasPart": [{"@id": path} for path in [*folders, *files]],
    }
    data = licence(publication.licences.data)
    terms = {"@id": data["path"], "@type": "CreativeWork", "name": data["name"]}
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [
            _DESCRIBED,
            root,
            terms,
            *authors,
            *({"@id": path, "@type": "Dataset", "name": says} for path, says in folders.items()),
            *(_file(path, size) for path, size in files.items()),
        ],
    }


def _file(path: str, size: int) -> dict[str, Any]:
    suffix = path[path.rfind(".") :]
    media = {"encodingFormat": _MEDIA[suffix]} if suffix in _MEDIA else {}
    return {"@id": path, "@type": "File", "contentSize": str(size), **media}


def _person(author: Author) -> dict[str, Any]:
    if author.name:
        return {"@id": "#authors", "@type": "Organization", "name": author.name}
    identifier = f"https://orcid.org/{author.orcid}" if author.orcid else f"#{author.family}"
    return {
        "@id": identifier,
        "@type": "Person",
        "name": f"{author.given} {author.family}",
        **({"affiliation": author.affiliation} if author.affiliation else {}),
    }

"""The files of metadata that stand in the repository."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from remeasure.bench.base.files import atomic_write
from remeasure.bench.base.paths import ROOT
from remeasure.paper.publication import Author, Publication, load_publication


def citation(publication: Publication) -> str:
    """The text of CITATION.cff."""
    authors = [_author(author) for author in publication.authors]
    links = _without_nothing(
        {
            "doi": publication.known("doi"),
            "url": publication.known("site"),
            "repository-code": publication.known("repository"),
        }
    )
    cited: dict[str, str] = {key: links[key] for key in ("doi", "url") if key in links}
    document: dict[str, object] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, testbed or paper, please cite it as below.",
        "type": "dataset",
        "title": publication.title,
        "abstract": publication.about,
        "authors": authors,
        "version": publication.version,
        "date-released": publication.date,
        "license": publication.licences.data,
        "keywords": publication.keywords,
        **links,
        "preferred-citation": {
            "type": "report",
            "title": publication.paper.title,
            "authors": authors,
            "year": publication.date.year,
            "month": publication.date.month,
            "notes": f"Built from version {publication.version} of the dataset",
            **cited,
        },
    }
    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100))


def _author(author: Author) -> dict[str, str]:
    if author.name:
        return {"name": author.name}
    return _without_nothing(
        {
            "family-names": author.family,
            "given-names": author.given,
            "affiliation": author.affiliation,
            "orcid": f"https://orcid.org/{author.orcid}" if author.orcid else None,
        }
    )


def _without_nothing(fields: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in fields.items() if value}


def zenodo(publication: Publication) -> dict[str, Any]:
    """The document .zenodo.json."""
    document = {
        "upload_type": "dataset",
        "title": publication.title,
        "description": publication.about,
        "creators": [_creator(author) for author in publication.authors],
        "version": publication.version,
        "publication_date": publication.date.isoformat(),
        "access_right": "open",
        "license": publication.licences.data,
        "keywords": publication.keywords,
        "notes": f"Data under {publication.licences.data}, code under {publication.licences.code}.",
    }
    if repository := publication.known("repository"):
        document["related_identifiers"] = [
            {"identifier": repository, "relation": "isSupplementTo", "resource_type": "software"}
        ]
    return document


def _creator(author: Author) -> dict[str, str]:
    fields = {"name": author.whole, "affiliation": author.affiliation, "orcid": author.orcid}
    return {key: value for key, value in fields.items() if value}


def bibtex(publication: Publication) -> str:
    """One entry for the dataset, and one for the paper that is built from it."""
    authors = " and ".join(
        f"{{{author.name}}}" if author.name else author.whole for author in publication.authors
    )
    links = {
        "doi": publication.known("doi"),
        "url": publication.known("site") or publication.known("repository"),
    }
    shared = {"author": authors, "year": str(publication.date.year)}
    whole = f"Version {publication.version}, {publication.date.isoformat()}"
    dataset = {"title": f"{{{publication.title}}}", **shared, "note": f"Dataset. {whole}"}
    paper = {"title": f"{{{publication.paper.title}}}", **shared}
    paper["note"] = f"Built from version {publication.version} of the dataset"
    return "\n\n".join(
        _entry(key, {**fields, **links})
        for key, fields in (("ipsecremeasureddata", dataset), ("ipsecremeasured", paper))
    )


def _entry(key: str, fields: dict[str, str | None]) -> str:
    lines = [f"  {name:<6} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def texts(publication: Publication) -> dict[str, str]:
    """Name of a file -> its text."""
    return {"CITATION.cff": citation(publication), ".zenodo.json": as_json(zenodo(publication))}


def as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def write_metadata() -> list[Path]:
    """Write them all. Returns their paths. Raises UserError."""
    made = {ROOT / name: text for name, text in texts(load_publication()).items()}
    for path, text in made.items():
        atomic_write(path, text)
    return list(made)

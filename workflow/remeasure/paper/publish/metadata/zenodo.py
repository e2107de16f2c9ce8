""".zenodo.json: what Zenodo shows of a deposit (its deposit metadata, developers.zenodo.org)."""

from typing import Any

from remeasure.paper.publication import Author, Publication


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
    fields = {
        "name": author.whole,
        "affiliation": author.affiliation,
        "orcid": author.orcid,
    }
    return {key: value for key, value in fields.items() if value}

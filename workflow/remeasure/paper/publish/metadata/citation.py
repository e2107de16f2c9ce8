"""CITATION.cff: how to cite the dataset, and the paper (Citation File Format 1.2.0)."""

from collections.abc import Mapping

import yaml

from remeasure.paper.publication import Author, Publication


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

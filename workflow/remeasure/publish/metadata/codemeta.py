"""codemeta.json: the software (CodeMeta 3.0, codemeta.github.io)."""

from typing import Any

from remeasure.publication import Author, Publication

_SPDX = "https://spdx.org/licenses/"


def codemeta(publication: Publication) -> dict[str, Any]:
    """The document codemeta.json."""
    links = {
        "codeRepository": publication.known("repository"),
        "url": publication.known("site"),
        "identifier": publication.known("doi"),
        "email": publication.known("contact"),
    }
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": publication.title,
        "description": publication.about,
        "version": publication.version,
        "dateModified": publication.date.isoformat(),
        "license": f"{_SPDX}{publication.licences.code}",
        "author": [_author(author) for author in publication.authors],
        "keywords": publication.keywords,
        "programmingLanguage": ["Python", "Bash", "C"],
        "runtimePlatform": "Python 3.11 on Debian or Ubuntu",
        "operatingSystem": "Linux",
        **{key: value for key, value in links.items() if value},
    }


def _author(author: Author) -> dict[str, str]:
    if author.name:
        return {"@type": "Organization", "name": author.name}
    fields = {
        "@type": "Person",
        "@id": f"https://orcid.org/{author.orcid}" if author.orcid else None,
        "givenName": author.given,
        "familyName": author.family,
        "affiliation": author.affiliation,
    }
    return {key: value for key, value in fields.items() if value}

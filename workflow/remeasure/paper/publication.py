"""This work as a publication: config/publication.yaml."""

import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import Field, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.config import Strict
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_write
from remeasure.bench.base.paths import CONFIG, ROOT

PATH = CONFIG / "publication.yaml"
BLANK = "to be filled in"
"""in place of a value that only a maintainer knows"""


class Author(Strict):
    """A person, or a group named as one."""

    name: str | None = None
    """name of a group"""
    given: str | None = None
    """given names of a person"""
    family: str | None = None
    """family names of a person"""
    orcid: Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$")] | None = (
        None
    )
    """ORCID of a person, without the address before it"""
    affiliation: str | None = None
    """where a person works"""

    @model_validator(mode="after")
    def _group_or_person(self) -> Self:
        if bool(self.name) == bool(self.given and self.family):
            raise ValueError("expected either `name` of a group, or `given` and `family`")
        return self

    @property
    def whole(self) -> str:
        """Family name first, as archives sort them; the name of a group."""
        return self.name or f"{self.family}, {self.given}"


LICENCES = {
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "MIT": "https://opensource.org/license/mit",
}
"""SPDX identifier -> where its text is"""


class Publication(Strict):
    """The dataset, the code that makes it, and the paper."""

    title: str
    """title of the dataset"""
    version: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    """version of dataset and code, by Semantic Versioning"""
    date: datetime.date
    """day of this version"""
    about: str
    """its contents, in a few sentences"""
    keywords: list[str]
    """words by which it is found"""
    authors: list[Author] = Field(min_length=1)
    """who made it, in the order of citation"""
    data_licence: str
    """licence of everything measured, and of published numbers (SPDX identifier)"""
    code_licence: str
    """licence of everything else (SPDX identifier)"""
    paper: str
    """title of the paper that is built from the data"""
    repository: Annotated[str, Field(pattern=rf"^(https://.+|{BLANK})$")]
    """address of the repository"""
    site: Annotated[str, Field(pattern=rf"^(https://.+|{BLANK})$")]
    """address of the site"""
    doi: Annotated[str, Field(pattern=rf"^(10\.[0-9]{{4,}}/\S+|{BLANK})$")]
    """DOI of this version of the dataset, without the address before it"""

    def known(self, field: str) -> str | None:
        """The value of a field that only a maintainer knows; None while it is blank."""
        value = getattr(self, field)
        return None if value == BLANK else value

    def cite(self) -> str:
        """How the dataset is cited, in one line."""
        names = "; ".join(author.whole for author in self.authors)
        doi = f" https://doi.org/{self.doi}" if self.known("doi") else ""
        return f"{names}: {self.title}. Version {self.version}, {self.date.year}.{doi}"

    def require_filled(self) -> None:
        """Raises UserError if a field is still to be filled in."""
        if blanks := [name for name in type(self).model_fields if getattr(self, name) == BLANK]:
            raise UserError(
                f"{PATH}: {', '.join(blanks)}: still {BLANK!r}; fill in, or make a draft: "
                "--config draft=true"
            )


def load_publication() -> Publication:
    """Read config/publication.yaml. Raises UserError."""
    return config.load(Publication, PATH)


def citation(publication: Publication) -> str:
    """The text of CITATION.cff."""
    authors = [_author(author) for author in publication.authors]
    cited = _without_nothing({"doi": publication.known("doi"), "url": publication.known("site")})
    code = _without_nothing({"repository-code": publication.known("repository")})
    document: dict[str, object] = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, testbed or paper, please cite it as below.",
        "type": "dataset",
        "title": publication.title,
        "abstract": publication.about,
        "authors": authors,
        "version": publication.version,
        "date-released": publication.date,
        "license": publication.data_licence,
        "keywords": publication.keywords,
        **cited,
        **code,
        "preferred-citation": {
            "type": "report",
            "title": publication.paper,
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
        "creators": [
            _without_nothing(
                {"name": one.whole, "affiliation": one.affiliation, "orcid": one.orcid}
            )
            for one in publication.authors
        ],
        "version": publication.version,
        "publication_date": publication.date.isoformat(),
        "access_right": "open",
        "license": publication.data_licence,
        "keywords": publication.keywords,
        "notes": f"Data under {publication.data_licence}, code under {publication.code_licence}.",
    }
    if repository := publication.known("repository"):
        document["related_identifiers"] = [
            {"identifier": repository, "relation": "isSupplementTo", "resource_type": "software"}
        ]
    return document


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
    paper = {"title": f"{{{publication.paper}}}", **shared}
    paper["note"] = f"Built from version {publication.version} of the dataset"
    entries = []
    for key, fields in (("ipsecremeasureddata", dataset), ("ipsecremeasured", paper)):
        known = _without_nothing({**fields, **links}).items()
        lines = [f"  {name:<6} = {{{value}}}," for name, value in known]
        entries.append("\n".join([f"@misc{{{key},", *lines, "}"]))
    return "\n\n".join(entries)


def texts(publication: Publication) -> dict[str, str]:
    """Name of a file -> its text."""
    return {"CITATION.cff": citation(publication), ".zenodo.json": as_json(zenodo(publication))}


def as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def write_metadata() -> list[Path]:
    """Write them all. Returns their paths. Raises UserError."""
    made = texts(load_publication())
    for name, text in made.items():
        atomic_write(ROOT / name, text)
    return [ROOT / name for name in made]

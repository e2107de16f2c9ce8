"""This work as a publication: CITATION.cff, the one source of the metadata of tables, site and
release (Citation File Format 1.2.0)."""

import datetime
import json
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.config import Strict
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT

PATH = ROOT / "CITATION.cff"
CODE_LICENCE = "MIT"
"""licence of everything but data (SPDX identifier); a CFF file has one licence"""
_Https = Annotated[str, Field(pattern="^https://.+$")]
_Orcid = Annotated[str, Field(pattern="^https://orcid.org/([0-9]{4}-){3}[0-9]{3}[0-9X]$")]


class Author(Strict):
    """A person, or a group named as one."""

    name: str | None = None
    """name of a group"""
    given: str | None = Field(None, alias="given-names")
    family: str | None = Field(None, alias="family-names")
    orcid: _Orcid | None = None
    affiliation: str | None = None

    @model_validator(mode="after")
    def _group_or_person(self) -> Self:
        if bool(self.name) == bool(self.given and self.family):
            raise ValueError("expected either `name` of a group, or given-names and family-names")
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

    cff_version: str = Field(alias="cff-version")
    message: str
    type: str
    title: str
    """title of the dataset"""
    version: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    """version of dataset and code, by Semantic Versioning"""
    date: datetime.date = Field(alias="date-released")
    """day of this version"""
    about: str = Field(alias="abstract")
    """its contents, in a few sentences"""
    keywords: list[str]
    authors: list[Author] = Field(min_length=1)
    """who made it, in the order of citation"""
    data_licence: str = Field(alias="license")
    """licence of everything measured, and of published numbers (SPDX identifier)"""
    paper: dict[str, Any] = Field(alias="preferred-citation")
    """the paper that is built from the data"""
    repository: _Https | None = Field(None, alias="repository-code")
    site: _Https | None = Field(None, alias="url")
    doi: Annotated[str, Field(pattern=r"^10\.[0-9]{4,}/\S+$")] | None = None
    """DOI of this version of the dataset, without the address before it"""

    def cite(self) -> str:
        """How the dataset is cited, in one line."""
        names = "; ".join(author.whole for author in self.authors)
        doi = f" https://doi.org/{self.doi}" if self.doi else ""
        return f"{names}: {self.title}. Version {self.version}, {self.date.year}.{doi}"

    def require_filled(self) -> None:
        """Raises UserError if a field that only a maintainer knows is missing."""
        known = {"repository-code": self.repository, "url": self.site, "doi": self.doi}
        if blanks := [name for name, value in known.items() if not value]:
            raise UserError(
                f"{PATH}: {', '.join(blanks)}: not there; fill in, or make a draft: "
                "--config draft=true"
            )


def load_publication() -> Publication:
    """Read CITATION.cff. Raises UserError."""
    return config.load(Publication, PATH)


def bibtex(publication: Publication) -> str:
    """One entry for the dataset, and one for the paper that is built from it."""
    authors = " and ".join(
        f"{{{author.name}}}" if author.name else author.whole for author in publication.authors
    )
    links = {"doi": publication.doi, "url": publication.site or publication.repository}
    shared = {"author": authors, "year": str(publication.date.year)}
    whole = f"Version {publication.version}, {publication.date.isoformat()}"
    dataset = {"title": f"{{{publication.title}}}", **shared, "note": f"Dataset. {whole}"}
    paper = {"title": f"{{{publication.paper['title']}}}", **shared}
    paper["note"] = f"Built from version {publication.version} of the dataset"
    entries = []
    for key, fields in (("ipsecremeasureddata", dataset), ("ipsecremeasured", paper)):
        known = {**fields, **links}.items()
        lines = [f"  {name:<6} = {{{value}}}," for name, value in known if value]
        entries.append("\n".join([f"@misc{{{key},", *lines, "}"]))
    return "\n\n".join(entries)


def as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"

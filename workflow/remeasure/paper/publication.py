"""This work as a publication: config/publication.yaml."""

import datetime
from typing import Annotated, Self

from pydantic import Field, model_validator

from remeasure.bench.base import config
from remeasure.bench.base.config import Strict
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CONFIG

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


class Licences(Strict):
    """SPDX identifiers."""

    data: str
    """of everything measured, and of published numbers"""
    code: str
    """of everything else"""


class Paper(Strict):
    """The paper that is built from the data."""

    title: str
    """title of the paper"""


class Publication(Strict):
    """The dataset, the code that makes it, and the paper."""

    title: str
    """title of the dataset"""
    version: Annotated[str, Field(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    """version of dataset and code, by Semantic Versioning"""
    date: datetime.date
    """day of this version"""
    about: str
    """what it is, in a few sentences"""
    keywords: list[str]
    """words by which it is found"""
    authors: list[Author] = Field(min_length=1)
    """who made it, in the order of citation"""
    licences: Licences
    """under which licences it is given"""
    paper: Paper
    """the paper that is built from the data"""
    repository: Annotated[str, Field(pattern=rf"^(https://.+|{BLANK})$")]
    """address of the repository"""
    site: Annotated[str, Field(pattern=rf"^(https://.+|{BLANK})$")]
    """address of the site"""
    doi: Annotated[str, Field(pattern=rf"^(10\.[0-9]{{4,}}/\S+|{BLANK})$")]
    """DOI of this version of the dataset, without the address before it"""
    contact: Annotated[str, Field(pattern=rf"^(\S+@\S+|{BLANK})$")]
    """e-mail address"""

    def known(self, field: str) -> str | None:
        """The value of a field that only a maintainer knows; None while it is blank."""
        value = getattr(self, field)
        return None if value == BLANK else value

    def cite(self) -> str:
        """How the dataset is cited, in one line."""
        names = "; ".join(author.whole for author in self.authors)
        doi = f" https://doi.org/{self.doi}" if self.known("doi") else ""
        return f"{names}: {self.title}. Version {self.version}, {self.date.year}.{doi}"

    def blanks(self) -> list[str]:
        """The fields that are still to be filled in."""
        return [name for name in type(self).model_fields if getattr(self, name) == BLANK]

    def require_filled(self) -> None:
        """Raises UserError if a field is still to be filled in."""
        if blanks := self.blanks():
            raise UserError(
                f"{PATH}: {', '.join(blanks)}: still {BLANK!r}; fill in, or make a draft: "
                "--config draft=true"
            )


def load_publication() -> Publication:
    """Read config/publication.yaml. Raises UserError."""
    return config.load(Publication, PATH)

"""The metadata of the publication: CITATION.cff, what is made of it, and refusals."""

import tomllib

import pytest
import yaml
from cases import cases

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.paper.publication import Author, Publication, bibtex, load_publication


@pytest.fixture
def publication():
    return load_publication()


def filled(publication: Publication) -> Publication:
    """With values for a maintainer's fields."""
    orcid = "https://orcid.org/0000-0002-1825-0097"
    ada = Author.model_validate({"given-names": "Ada", "family-names": "Example", "orcid": orcid})
    known = {"repository": "https://example.org/repository", "site": "https://example.org/"}
    known |= {"doi": "10.1234/example", "authors": [ada]}
    return publication.model_copy(update=known)


def test_the_paper_is_cited_with_the_same_authors_version_and_day(publication):
    paper = yaml.safe_load((ROOT / "CITATION.cff").read_text())["preferred-citation"]
    assert paper["authors"] == [{"name": author.name} for author in publication.authors]
    assert (paper["year"], paper["month"]) == (publication.date.year, publication.date.month)
    assert f"version {publication.version} of" in paper["notes"]


def test_the_package_has_the_version_of_the_publication(publication):
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert document["project"]["version"] == publication.version


def test_no_released_campaign_is_younger_than_the_publication():
    """A campaign that is not released yet, such as a reader's own, has no manifest."""
    begun = [
        yaml.safe_load(path.with_name("campaign.yaml").read_text())["created"][:10]
        for path in ROOT.glob("data/raw/*/manifest.json")
    ]
    assert max(begun) <= load_publication().date.isoformat(), "CITATION.cff: date-released"


def test_a_release_with_blanks_is_refused_in_one_line(publication):
    with pytest.raises(UserError) as error:
        publication.require_filled()
    assert str(error.value) == (
        f"{ROOT}/CITATION.cff: repository-code, url, doi: not there; fill in, or make a draft: "
        "--config draft=true"
    )
    filled(publication).require_filled()


@pytest.mark.parametrize(("change", "says"), cases(__file__, "a_wrong_field_is_one_line"))
def test_a_wrong_field_is_one_line(tmp_path, monkeypatch, publication, change, says):
    document = yaml.safe_load((ROOT / "CITATION.cff").read_text()) | change
    path = tmp_path / "CITATION.cff"
    path.write_text(yaml.safe_dump(document))
    monkeypatch.setattr("remeasure.paper.publication.PATH", path)
    with pytest.raises(UserError) as error:
        load_publication()
    assert str(path) in str(error.value) and says in str(error.value)


def test_bibtex_cites_the_version_and_the_paper(publication):
    text = bibtex(filled(publication))
    assert text.count("@misc{") == 2 and text.count("author = {Example, Ada}") == 2
    assert f"Version {publication.version}, {publication.date}" in text
    assert text.count("doi    = {10.1234/example}") == 2
    # A group is one name, not a family name and given ones.
    assert f"{{{{{publication.authors[0].name}}}}}" in bibtex(publication)

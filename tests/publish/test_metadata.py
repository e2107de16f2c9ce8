"""The metadata of the publication: one source, every form of it, and refusals."""

import tomllib

import pytest
import yaml
from cases import cases

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.paper.publication import (
    BLANK,
    Author,
    Publication,
    bibtex,
    citation,
    load_publication,
    texts,
    zenodo,
)


@pytest.fixture
def publication():
    return load_publication()


def filled(publication: Publication) -> Publication:
    """With values for a maintainer's fields."""
    ada = Author(given="Ada", family="Example", orcid="0000-0002-1825-0097", affiliation="X")
    known = {"repository": "https://example.org/repository", "site": "https://example.org/"}
    known |= {"doi": "10.1234/example", "authors": [ada]}
    return publication.model_copy(update=known)


@pytest.mark.parametrize("file", texts(load_publication()))
def test_files_are_as_their_source(publication, file):
    assert (ROOT / file).read_text() == texts(publication)[file], "run: env/run remeasure metadata"


def test_the_package_has_the_version_of_the_publication(publication):
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert document["project"]["version"] == publication.version


def test_no_released_campaign_is_younger_than_the_publication():
    """A campaign that is not released yet, such as a reader's own, has no manifest."""
    begun = [
        yaml.safe_load(path.with_name("campaign.yaml").read_text())["created"][:10]
        for path in ROOT.glob("data/raw/*/manifest.json")
    ]
    assert max(begun) <= load_publication().date.isoformat(), "config/publication.yaml: date"


def test_nothing_blank_is_given_away(publication):
    for text in (citation(publication), str(zenodo(publication)), bibtex(publication)):
        assert BLANK not in text


def test_a_release_with_blanks_is_refused_in_one_line(publication):
    with pytest.raises(UserError) as error:
        publication.require_filled()
    assert str(error.value) == (
        f"{ROOT}/config/publication.yaml: repository, site, doi: still '{BLANK}'; fill "
        "in, or make a draft: --config draft=true"
    )
    filled(publication).require_filled()


def test_a_person_is_cited_with_name_and_orcid(publication):
    document = yaml.safe_load(citation(filled(publication)))
    orcid = "0000-0002-1825-0097"
    (author,) = document["authors"]
    assert (author["family-names"], author["given-names"]) == ("Example", "Ada")
    assert (author["affiliation"], author["orcid"]) == ("X", f"https://orcid.org/{orcid}")
    assert document["doi"] == document["preferred-citation"]["doi"] == "10.1234/example"
    creator = {"name": "Example, Ada", "affiliation": "X", "orcid": orcid}
    assert zenodo(filled(publication))["creators"] == [creator]


@pytest.mark.parametrize(("change", "says"), cases(__file__, "a_wrong_field_is_one_line"))
def test_a_wrong_field_is_one_line(tmp_path, monkeypatch, publication, change, says):
    document = yaml.safe_load((ROOT / "config/publication.yaml").read_text()) | change
    path = tmp_path / "publication.yaml"
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

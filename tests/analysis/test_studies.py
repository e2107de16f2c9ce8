"""How studies are named to readers."""

import pytest

from remeasure.bench.claims import published
from remeasure.bench.claims.published import cited_as

MADE_UP = "author: Nobody\n{year}reference: made up\nscenario: psk-rsa\n"


@pytest.mark.parametrize(
    ("year", "cited"), [("year: 1999\n", "Nobody 1999"), ("", "Nobody (undated)")]
)
def test_a_study_is_cited_by_author_and_year(tmp_path, monkeypatch, year, cited):
    monkeypatch.setattr(published, "FOLDER", tmp_path)
    (tmp_path / "made-up.yaml").write_text(MADE_UP.format(year=year))
    assert cited_as("made-up") == cited

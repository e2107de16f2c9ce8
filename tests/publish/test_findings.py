"""A translated README has findings in its own language, or is refused."""

from pathlib import Path

import pytest

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import file_hash
from remeasure.paper.publish import findings

SECTION = "# IPsec\n<!-- generated: findings -->\n{}\n<!-- end -->\n"
README, SPANISH = Path("README.md"), Path("README.es.md")


@pytest.fixture
def site(monkeypatch, tmp_path) -> Path:
    """A folder of the site with findings that print one number."""
    (tmp_path / "findings.md").write_text("RSA adds {{ setUp }}.\n")
    monkeypatch.setattr(findings, "FINDINGS", tmp_path / "findings.md")
    monkeypatch.setattr(findings, "number_texts", lambda numbers: {"setUp": "23 ms"})
    return tmp_path


def made(path: Path) -> str:
    return findings.updated(SECTION.format("old"), path, [])


def translate(site: Path) -> None:
    mark = f"<!-- translates {file_hash(site / 'findings.md')[:12]} -->"
    (site / "findings.es.md").write_text(f"{mark}\nRSA añade {{{{ setUp }}}}.\n")


def test_a_translation_is_filled_in_its_own_language(site):
    translate(site)
    for readme, says in ((README, "RSA adds 23 ms."), (SPANISH, "RSA añade 23 ms.")):
        assert made(readme).split("\n\n")[1].strip() == says


def test_english_findings_are_in_no_other_readme(site):
    with pytest.raises(UserError, match="^README.es.md: findings: found no file site/findings.es"):
        made(SPANISH)


def test_an_aged_translation_is_refused(site):
    translate(site)
    (site / "findings.md").write_text("RSA adds {{ setUp }} to a set-up.\n")
    with pytest.raises(UserError, match="found older ones in site/findings.es.md, expected a tr"):
        made(SPANISH)

"""The appendix of terms: each term that it explains occurs in the paper outside it."""

import re
from pathlib import Path

from remeasure.bench.base.paths import ROOT

SECTIONS = ROOT / "paper/sections"


def terms(text: str) -> list[str]:
    """The terms of an appendix; 'AH, ESP' are two."""
    heads = re.findall(r"\\term\{((?:[^{}]|\\_)+)\}", text)
    return [term for head in heads for term in plain(head).split(", ")]


def plain(text: str) -> str:
    """LaTeX or HTML as words with single blanks, in lower case."""
    return re.sub(r"[\s~]+", " ", text.replace(r"\_", "_").replace("--", "-")).lower()


def unused(known: list[str], text: str) -> list[str]:
    """The terms that do not occur in the text, in singular or plural."""
    words = plain(text)
    return [
        term
        for term in known
        if not re.search(
            rf"(?<![\w-]){re.escape(term.removesuffix('s'))}(?:s|es|[n]ed)?(?![\w])", words
        )
    ]


def test_terms_are_in_the_order_of_the_alphabet():
    heads = re.findall(r"\\term\{(.*?)\}", (SECTIONS / "terms.tex").read_text())
    assert heads == sorted(heads, key=plain)


def test_each_term_occurs_in_the_paper(built_project):
    """In its text, or in a caption, table or figure that a notebook hands over."""
    sections = [path for path in SECTIONS.glob("*.tex") if path.name != "terms.tex"]
    results: Path = built_project.folder / "results"
    handed = [*results.glob("handed/*/tables/*.tex"), *results.glob("handed/*/figures/*.svg")]
    printed = [SECTIONS.parent / "constants.tex", results / "paper/numbers.tex"]
    text = "\n".join(p.read_text() for p in [*sections, *printed, *handed])
    known = terms((SECTIONS / "terms.tex").read_text())
    assert len(known) > 50
    assert unused(known, text) == []
    assert unused(["ike_sa", "no such term"], text) == ["no such term"]

"""Texts that people read keep to the style guide, as far as a machine can see it."""

import pytest
from cases import cases
from english import hard_in_code, hard_to_read, of_code, of_latex, of_markdown, of_notebook
from projects import files_of_project

from remeasure.bench.base.paths import ROOT
from remeasure.paper.notebook.cautions import CAUTIONS

PAGES = ["*.md", "notebooks/*/answer.md", "data/README.md", "docs/*.md", "site/*.md"]
NOT_PAGES = {"docs/glossary.md", "docs/guide.md", "docs/replay_windows.md"}
"""pages made from others, with numbers of many words"""
MOST_WORDS_OF_README = 520
LONG = " ".join(["word"] * 31)
HARD = [f"{LONG}.", *cases(__file__, "hard")]
HARD_IN_CODE = cases(__file__, "hard_in_code")
"""of our own docstrings, comments and errors, before the check read them"""


@pytest.mark.parametrize(
    ("pattern", "passages_of"),
    [
        *((pattern, of_markdown) for pattern in PAGES),
        ("notebooks/*/*.ipynb", of_notebook),
        ("paper/sections/*.tex", of_latex),
    ],
)
def test_texts_are_plain_english(pattern, passages_of):
    found = {
        str(path.relative_to(ROOT)): [
            hard for passage in passages_of(path.read_text()) for hard in hard_to_read(passage)
        ]
        for path in sorted(ROOT.glob(pattern))
        if str(path.relative_to(ROOT)) not in NOT_PAGES
        and len(path.suffixes) == 1  # README.es.md is in another language
    }
    assert found and {file: hard for file, hard in found.items() if hard} == {}


def test_cautions_and_code_are_plain_english():
    assert [hard for caution in CAUTIONS.values() for hard in hard_to_read(caution)] == []
    found = {
        name: [hard for text in of_code((ROOT / name).read_text()) for hard in hard_in_code(text)]
        for name in files_of_project()
        if name.endswith(".py")
    }
    assert {file: hard for file, hard in found.items() if hard} == {}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) < MOST_WORDS_OF_README


@pytest.mark.parametrize("hard", HARD)
def test_a_hard_sentence_is_found(hard):
    for passages in (of_markdown(f"- {hard}"), of_latex(f"\\section{{A}}\n{hard}")):
        assert [hard for passage in passages if hard_to_read(passage)]


@pytest.mark.parametrize("hard", HARD_IN_CODE)
@pytest.mark.parametrize("code", ['"""{}"""', "# {}", 'raise UserError("{}")', 'Option(help="{}")'])
def test_a_hard_sentence_in_code_is_found(code, hard):
    assert [found for text in of_code(code.format(hard)) for found in hard_in_code(text)]

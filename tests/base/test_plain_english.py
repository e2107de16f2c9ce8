"""Texts that people read are in plain English, as far as a machine can see it."""

import json

import pytest
import typer
from english import (
    IN_CODE,
    empty_intervals,
    hard_forms,
    hard_to_read,
    of_docstrings,
    of_errors,
    of_latex,
    of_markdown,
    of_notebook,
    of_shown,
    too_long,
)

from remeasure.bench.base.paths import ROOT
from remeasure.cli import app
from remeasure.paper.analysis.decisions import SIZES, VERDICTS
from remeasure.paper.analysis.limits.rate_limits import LIMITS
from remeasure.paper.notebook.cautions import CAUTIONS

PAGES = ["*.md", "notebooks/*/answer.md", "data/README.md", "docs/*.md", "site/*.md"]
NOT_PAGES = {"CHANGELOG.md", "docs/faults.md"}
"""the history, and a page that quotes what programs print"""
PAPER = ["paper/sections/*.tex"]
CODE = ["workflow/remeasure/**/*.py"]
MOST_WORDS_OF_README = 600


def files(*patterns: str) -> list[str]:
    found = {str(path.relative_to(ROOT)) for one in patterns for path in ROOT.glob(one)}
    return sorted(found - NOT_PAGES)


@pytest.mark.parametrize("page", files(*PAGES))
def test_a_page_is_plain_english(page):
    passages = of_markdown((ROOT / page).read_text())
    assert [hard for passage in passages for hard in hard_to_read(passage)] == []


@pytest.mark.parametrize("notebook", files("notebooks/*/*.ipynb"))
def test_words_and_captions_of_a_notebook_are_plain_english(notebook):
    passages = of_notebook((ROOT / notebook).read_text())
    assert [hard for passage in passages for hard in hard_to_read(passage)] == []


@pytest.mark.parametrize("section", files(*PAPER))
def test_a_section_of_the_paper_is_plain_english(section):
    passages = of_latex((ROOT / section).read_text())
    assert [hard for passage in passages for hard in hard_to_read(passage)] == []


@pytest.mark.parametrize("name", CAUTIONS)
def test_a_caution_is_plain_english(name):
    assert hard_to_read(CAUTIONS[name]) == []


def test_help_of_commands_is_plain_english():
    def texts(command):
        yield command.help or ""
        yield from (one.help or "" for one in command.params if hasattr(one, "help"))
        for child in getattr(command, "commands", {}).values():
            yield from texts(child)

    found = list(texts(typer.main.get_command(app)))
    assert len(found) > 30
    assert [hard for text in found for hard in hard_to_read(text)] == []


def test_what_code_shows_in_notebooks_is_plain_english():
    meanings = [LIMITS, VERDICTS, SIZES]
    shown = [text for file in files(*CODE) for text in of_shown((ROOT / file).read_text())]
    shown += [text for one in meanings for text in one.values()]
    assert [hard for text in shown for hard in hard_to_read(text)] == []


@pytest.mark.parametrize("texts", [of_docstrings, of_errors])
def test_docstrings_and_errors_name_the_thing(texts):
    found = {
        file: [
            hard for text in texts((ROOT / file).read_text()) for hard in hard_forms(text, IN_CODE)
        ]
        for file in files(*CODE)
    }
    assert {file: hard for file, hard in found.items() if hard} == {}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) < MOST_WORDS_OF_README


# What the checks see.

LONG = " ".join(["word"] * 31)


@pytest.mark.parametrize(
    "hard",
    [
        "That of TCP was 0.23 ms.",
        "Rates are those of a link.",
        "None of these was measured.",
        "One guest waits for the other.",
        "Linux does so by itself.",
        "Each package is a room.",
        "Guests wander between cores.",
        "The clock stands while it computes.",
        "Whoever reads it is helped.",
        "RSA over PSK is 1.00 [1.000, 1.00].",
        f"{LONG}.",
    ],
)
def test_a_hard_sentence_is_found_in_each_kind_of_text(hard):
    caption = f'results.figure("name", "{hard}", chart)'
    cells = [
        {"cell_type": "markdown", "source": [hard]},
        {"cell_type": "code", "source": [caption]},
    ]
    for passages, places in (
        (of_markdown(f"- {hard}\n\n| a |\n|---|\n| {hard} |\n"), 2),
        (of_notebook(json.dumps({"cells": cells})), 2),
        (of_latex(f"\\section{{A}}\n{hard}\n\n\\caption{{{hard}}}"), 2),
        (of_docstrings(f'"""{hard}"""'), 1),
        (of_errors(f'raise UserError("{hard}")'), 1),
    ):
        assert sum(bool(hard_to_read(passage)) for passage in passages) == places


def test_what_is_no_sentence_does_not_count():
    assert [*map(too_long, of_markdown(f"```\n{LONG}\n```\n\n`{LONG}`\n"))] == [[]]
    assert [
        *map(too_long, of_latex(f"% {LONG}\n\\begin{{tabular}}{{l}}{LONG}\\end{{tabular}}"))
    ] == []
    assert too_long("It is so. netem delays it. strongSwan waits.".replace("It", LONG)) != []
    assert empty_intervals("1.02 [0.95, 1.10], 2 [1, no end]") == []

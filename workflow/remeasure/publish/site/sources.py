"""The folder that Sphinx builds: what stands in site/, and the pages that are made from results."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import vl_convert

from remeasure.claims.published import load_published, studies
from remeasure.errors import UserError
from remeasure.names import Name
from remeasure.paths import ROOT
from remeasure.publication import Publication
from remeasure.publish import generated
from remeasure.publish.answers import Answer, answer_path, read_answer
from remeasure.publish.cautions import CAUTIONS
from remeasure.publish.site.ledger_page import ledger_page, verdict_strip
from remeasure.publish.site.notebook_pages import write_notebooks
from remeasure.publish.site.walk_pages import write_walks
from remeasure.publish.site.window_page import window_page

SOURCES = ROOT / "site"
FIRST = ("psk_rsa", "replay_window", "cipher_cost", "eap_methods")
"""notebooks whose answers are on the first page, in this order"""
_NAME = re.compile(r"\{\{ (\w+) \}\}")
"""a number on a page, by its LaTeX macro"""
_VEGA = "window.vegaEmbed = vegaEmbed;"


def write_sources(
    folder: Path,
    notebooks: Mapping[str, Path],
    handed: Mapping[str, Path],
    ledger: list[dict],
    publication: Publication,
    paper: Path,
) -> None:
    """Write the folder that Sphinx builds. `notebooks`: name -> executed notebook; `handed`: name
    -> folder that it handed over. Raises UserError."""
    shutil.copytree(SOURCES, folder)
    numbers = {name: _numbers_of(of) for name, of in handed.items()}
    answers = {
        name: read_answer(answer_path(name), _own(name, words))
        for name, words in numbers.items()
        if answer_path(name).exists()
    }
    made = {
        "title": publication.title,
        "authors": "; ".join(author.whole for author in publication.authors),
        "version": publication.version,
        "repository": publication.known("repository"),
    }
    (folder / "made.json").write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")
    index = folder / "index.md"
    sections = {
        "answers": lambda: _cards({name: answers[name] for name in FIRST}),
        "verdicts": lambda: verdict_strip(ledger),
    }
    index.write_text(generated.updated(index.read_text(), index, sections))
    texts = {macro: text for words in numbers.values() for macro, text in words.items()}
    texts |= {f"caution{name}": text for name, text in CAUTIONS.items()}
    texts |= {
        "citation": publication.cite(),
        "dataLicence": publication.licences.data,
        "codeLicence": publication.licences.code,
        "studies": "\n".join(
            f"- {study}: {load_published(study).reference}" for study in studies()
        ),
    }
    texts["repository"] = publication.known("repository") or "REPOSITORY"
    for page in folder.glob("*.md"):
        page.write_text(_filled(page.name, page.read_text(), texts))
    (folder / "ledger.md").write_text(ledger_page(ledger))
    write_walks(folder / "walks", ledger)
    passing = handed["replay_window"] / "figures/replaywindow-passing.json"
    words = _own("replay_window", numbers["replay_window"])
    (folder / "window.md").write_text(window_page(passing, words))
    write_notebooks(folder / "notebooks", notebooks, handed, answers)
    (folder / "_static/vega.js").write_text(vl_convert.javascript_bundle(_VEGA))
    shutil.copy(paper, folder / "paper.pdf")


def _numbers_of(handed: Path) -> dict[str, str]:
    """The numbers and texts that a notebook handed over: macro -> text."""
    entries = json.loads((handed / "numbers.json").read_text())
    return {macro: entry["text"] for macro, entry in entries.items()}


def _own(notebook: str, words: Mapping[str, str]) -> dict[str, str]:
    """The same without the prefix of the notebook."""
    prefix = Name.of_notebook(notebook).prefix
    return {macro.removeprefix(prefix): text for macro, text in words.items()}


def _filled(page: str, text: str, texts: Mapping[str, str]) -> str:
    """The page with `texts` in place of the names in double braces. Raises UserError."""

    def known(match: re.Match[str]) -> str:
        if match[1] not in texts:
            raise UserError(
                f"site/{page}: {match[0]}: no notebook hands over a number of this name"
            )
        return texts[match[1]]

    return _NAME.sub(known, text)


def _cards(answers: Mapping[str, Answer]) -> str:
    """A card for each answer: question, result, and what it is valid for (Markdown of
    sphinx-design)."""
    lines = [":::::{grid} 1 1 2 2", ":gutter: 3", ""]
    for notebook, answer in answers.items():
        lines += [
            f"::::{{grid-item-card}} {answer.question}",
            f":link: notebooks/{notebook}",
            ":link-type: doc",
            "",
            answer.short,
            "",
            ":::{card-footer}",
            f"Valid for {answer.valid_for}. Not for {answer.not_for}.",
            ":::",
            "::::",
            "",
        ]
    return "\n".join([*lines, ":::::", ""])

"""The answer with which a notebook begins: a question, the finding, and its limits.
notebooks/<name>/answer.md has the words. {Name} in it stands for the number or text that the
notebook handed over under this name, so that notebook, site, README and paper agree."""

import difflib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import parse_yaml
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import NOTEBOOKS
from remeasure.paper.analysis.texts import NO_NUMBER, in_larger_units
from remeasure.paper.notebook.cautions import CAUTIONS
from remeasure.paper.notebook.measured_text import LOST, measured
from remeasure.paper.notebook.pictures import caption, figure_html
from remeasure.paper.notebook.preview import mark_of_results
from remeasure.paper.words import words_of

NOT_MEASURED = "This campaign did not measure it."
_FILE = re.compile(r"---\n(?P<head>.*?)---\n(?P<body>.*)", re.DOTALL)
_NAME = re.compile(r"\{(\w+)\}")

_LINE = re.compile(r".{40,}?[.?!](?=\s|$)|.*", re.DOTALL)
"""the first sentence, with the next one if it is as short as "No." """
AnswerGroup = Literal["keys", "window", "cipher", "reliability", "testbed"]
GROUPS = cast(dict[AnswerGroup, str], words_of(__file__, "opening-answer"))
"""group of notebooks -> its title in lists, in their order"""


def group_heading(group: AnswerGroup) -> str:
    """The title of a group, with a caution if its notebooks rank ciphers (Markdown)."""
    return f"## {GROUPS[group]}" + (f"\n\n> {CAUTIONS['Brief']}" if group == "cipher" else "")


class OpeningAnswer(config.Strict):
    """One answer, with its numbers: the fields above it, and its paragraphs (Markdown)."""

    question: str
    """the reader's question, in a few words"""
    valid_for: str
    """conditions under which the answer holds"""
    not_for: str
    """where it does not, or was not measured"""
    group: AnswerGroup
    """where lists of notebooks have it"""
    figure: str | None = None
    """name of the figure of the notebook that shows it"""
    beware: list[str] = []
    """names of notebook.cautions"""
    short: str = ""
    """the first paragraph: the result by itself"""
    more: str = ""
    """the other paragraphs"""

    @property
    def line(self) -> str:
        """The result in a sentence or two."""
        found = _LINE.match(self.short)
        return " ".join((found[0] if found else self.short).split())

    def markdown(self) -> str:
        """The answer as the opening of a page."""
        cautions = [f"> {CAUTIONS[name]}" for name in self.beware]
        of = {"Valid for": self.valid_for, "Not for": self.not_for}
        limits = [f"**{title}** {limit}." for title, limit in of.items() if limit]
        return "\n\n".join(
            filter(None, [f"**{self.question}**", self.short, self.more, *limits, *cautions])
        )


def answer_path(notebook: str) -> Path:
    """notebooks/<name>/answer.md, which need not exist: a new scenario has no answer yet."""
    return NOTEBOOKS / notebook / "answer.md"


def names_in(path: Path) -> set[str]:
    """The names in braces in the answer in `path`."""
    return set(_NAME.findall(path.read_text()))


def read_answer(path: Path, words: Mapping[str, str]) -> OpeningAnswer:
    """The answer in `path`; `words` has the text for each name in braces. Raises UserError naming
    the file and the field or the name that is wrong."""
    match = _FILE.fullmatch(path.read_text())
    if match is None:
        raise UserError(f"{path}: expected a head between two lines '---', and text below")
    answer = config.validate(OpeningAnswer, parse_yaml(path, match["head"]), str(path))
    for name in answer.beware:
        if name not in CAUTIONS:
            raise UserError(f"{path}: beware: no caution {name!r}; known: {', '.join(CAUTIONS)}")
    short, _, more = match["body"].strip().partition("\n\n")
    head = {field: getattr(answer, field) for field in ("question", "valid_for", "not_for")}
    texts = head | {"short": short, "more": more}
    filled = {field: _filled(path, text, words) for field, text in texts.items()}
    return answer.model_copy(update=filled | {"short": filled["short"] or NOT_MEASURED})


def read_answers(handed: Mapping[str, Path]) -> dict[str, OpeningAnswer]:
    """Notebook -> its answer with the numbers that it `handed` over (a folder); of those that have
    an answer. Raises UserError."""
    answers = {}
    for name, folder in handed.items():
        if (path := answer_path(name)).exists():
            prefix = Name.of_notebook(name).prefix
            numbers = json.loads((folder / "numbers.json").read_text()).items()
            words = {macro.removeprefix(prefix): one["text"] for macro, one in numbers}
            answers[name] = read_answer(path, words)
    return answers


def opening(folder: Path) -> list[dict[str, str]]:
    """The opening of a notebook's page as data of outputs: the answer below the mark of its
    results, and its chart, both from files in `folder`. Raises UserError."""
    mark, found = mark_of_results([folder]), read_answers({folder.name: folder}).get(folder.name)
    text = "\n\n".join(([f"**{mark}**"] if mark else []) + ([found.markdown()] if found else []))
    shown = [{"text/markdown": text}] if text else []
    if found and found.figure:
        chart = f"{Name.of_notebook(folder.name).prefix}-{found.figure}"
        picture = folder / "figures" / f"{chart}.svg"
        if not picture.exists():
            raise UserError(f"{answer_path(folder.name)}: figure: no file {picture}")
        says = caption(picture.with_suffix(".json"))
        shown.append({"text/html": figure_html("answer", chart, picture.read_text(), says)})
    return shown


def _filled(path: Path, text: str, words: Mapping[str, str]) -> str:
    def word(match: re.Match[str]) -> str:
        if match[1] not in words:
            near = difflib.get_close_matches(match[1], words, 1)
            hint = "".join(f"; did you mean {{{name}}}?" for name in near)
            raise UserError(
                f"{path}: {match[0]}: the notebook hands over nothing of this name{hint}"
            )
        return LOST if NO_NUMBER in words[match[1]] else words[match[1]]

    return in_larger_units(measured(_NAME.sub(word, text)).strip())

"""The answer with which a notebook begins: a question, what was found, and what it is valid for.

notebooks/<name>/answer.md has the words. {Name} in it stands for the number or text that the
notebook handed over under this name, so that notebook, site, README and paper cannot say different
things.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remeasure.bench.base import config
from remeasure.bench.base.documents import parse_yaml
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import NOTEBOOKS
from remeasure.paper.notebook.cautions import CAUTIONS

_FILE = re.compile(r"---\n(?P<head>.*?)---\n(?P<body>.*)", re.DOTALL)
_NAME = re.compile(r"\{(\w+)\}")


class _Head(config.Strict):
    """The fields above an answer."""

    question: str
    """what a reader would ask, in a few words"""
    valid_for: str
    """where the answer holds"""
    not_for: str
    """where it does not, or was not measured"""
    figure: str | None = None
    """name of the figure of the notebook that shows it"""
    beware: list[str] = []
    """names of notebook.cautions"""


@dataclass(frozen=True)
class Answer:
    """One answer, with its numbers."""

    question: str
    short: str
    """the first paragraph: the result by itself (Markdown)"""
    more: str
    """the other paragraphs (Markdown)"""
    valid_for: str
    not_for: str
    figure: str | None
    beware: tuple[str, ...]

    def markdown(self) -> str:
        """The answer as the opening of a page."""
        cautions = [f"> {CAUTIONS[name]}" for name in self.beware]
        limits = [f"**Valid for** {self.valid_for}.", f"**Not for** {self.not_for}."]
        return "\n\n".join(
            filter(None, [f"**{self.question}**", self.short, self.more, *limits, *cautions])
        )


def answer_path(notebook: str) -> Path:
    """notebooks/<name>/answer.md, which need not exist: a new scenario has no answer yet."""
    return NOTEBOOKS / notebook / "answer.md"


def names_in(path: Path) -> set[str]:
    """The names in braces in the answer in `path`."""
    return set(_NAME.findall(path.read_text()))


def read_answer(path: Path, words: Mapping[str, str]) -> Answer:
    """The answer in `path`; `words` has the text for each name in braces.

    Raises UserError naming the file and the field or the name that is wrong.
    """
    match = _FILE.fullmatch(path.read_text())
    if match is None:
        raise UserError(f"{path}: expected a head between two lines '---', and text below")
    head = config.validate(_Head, parse_yaml(path, match["head"]), str(path))
    for name in head.beware:
        if name not in CAUTIONS:
            raise UserError(f"{path}: beware: no caution {name!r}; known: {', '.join(CAUTIONS)}")
    short, _, more = match["body"].strip().partition("\n\n")
    texts = {
        "question": head.question,
        "short": short,
        "more": more,
        "valid_for": head.valid_for,
        "not_for": head.not_for,
    }
    filled = {field: _filled(path, text, words) for field, text in texts.items()}
    return Answer(**filled, figure=head.figure, beware=tuple(head.beware))


def _filled(path: Path, text: str, words: Mapping[str, str]) -> str:
    def word(match: re.Match[str]) -> str:
        if match[1] not in words:
            near = difflib.get_close_matches(match[1], words, 1)
            hint = "".join(f"; did you mean {{{name}}}?" for name in near)
            raise UserError(
                f"{path}: {match[0]}: the notebook hands over nothing of this name{hint}"
            )
        return words[match[1]]

    return _NAME.sub(word, text).strip()

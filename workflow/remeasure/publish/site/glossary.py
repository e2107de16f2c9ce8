"""The glossary of the site: the list of terms that the paper prints, in Markdown."""

import re
from pathlib import Path

from remeasure.errors import UserError
from remeasure.paths import ROOT

PATH = ROOT / "paper/sections/terms.tex"
_TERM = re.compile(r"\\term\{([^}]*)\}(.*?)(?=\\term|\\par)", re.DOTALL)
_MARKUP = {
    r"\\emph\{([^}]*)\}": r"*\1*",
    r"\\texttt\{([^}]*)\}": r"`\1`",
    r"\\([_%&])": r"\1",
    r"\$\\sigma\$": "σ",
    "~": " ",
    r"\s+": " ",
}
"""LaTeX that terms may have -> Markdown"""


def glossary(path: Path = PATH) -> str:
    """Each term of a file of the paper as a paragraph with its anchors (`anchor`). Raises UserError
    at LaTeX that has no Markdown here."""
    paragraphs = []
    for names, says in _TERM.findall(path.read_text()):
        name, text = _markdown(names), _markdown(says)
        if wrong := re.search(r"\\\w*|[{}$]", name + text):
            raise UserError(f"{path}: {name}: {wrong[0]} has no Markdown; see {__name__}")
        anchors = "".join(f"({anchor(one)})=\n" for one in name.split(", "))
        paragraphs.append(f"{anchors}**{name}**: {text}\n")
    return "\n".join(paragraphs)


def anchor(term: str) -> str:
    """The anchor of a term: 'term-child-sa'."""
    return f"term-{re.sub('[^a-z0-9]+', '-', term.lower()).strip('-')}"


def _markdown(latex: str) -> str:
    for pattern, words in _MARKUP.items():
        latex = re.sub(pattern, words, latex)
    return latex.strip()

"""The glossary of the site: the list of terms that the paper prints, in Markdown."""

import re
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT

PATH = ROOT / "paper/sections/terms.tex"
_TERM = re.compile(r"\\term\{([^}]*)\}(.*?)(?=\\term|\\par)", re.DOTALL)
_NAMES = re.compile(r"(?:\(term-[\w-]+\)=\n)*\*\*(.+?)\*\*:")
"""the names of a term, at the beginning of its paragraph"""
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


def in_order(page: str) -> str:
    """A page with its terms, which are paragraphs of this module's form, in the order of the
    alphabet. What is no term stays in front."""
    paragraphs = re.split(r"\n{2,}", page.strip())
    terms = [one for one in paragraphs if _NAMES.match(one)]
    others = [one for one in paragraphs if not _NAMES.match(one)]
    return "\n\n".join([*others, *sorted(terms, key=_place)]) + "\n"


def _place(term: str) -> str:
    """What a term is sorted by: the letters and digits of its names."""
    names = _NAMES.match(term)
    return re.sub("[^a-z0-9]+", " ", names[1].lower()).strip() if names else ""


def anchor(term: str) -> str:
    """The anchor of a term: 'term-child-sa'."""
    return f"term-{re.sub('[^a-z0-9]+', '-', term.lower()).strip('-')}"


def _markdown(latex: str) -> str:
    for pattern, words in _MARKUP.items():
        latex = re.sub(pattern, words, latex)
    return latex.strip()

"""The warnings printed with every ranking, so that nobody takes it for advice. Each text is written
only in cautions.yaml. Notebooks show it. The paper and the site's guide may print the macro
\\caution<Name>."""

import re

from remeasure.paper.notebook.as_latex import escape
from remeasure.paper.words import words_of

CAUTIONS: dict[str, str] = words_of(__file__)
"""name -> text"""
_RFC, _CITED = re.compile(r"RFC (\d+)"), r"RFC~\1~\\cite{rfc\1}"


def as_macros(paper: str) -> str:
    """The \\newcommand lines of the cautions in `paper`; an RFC is cited by the key rfc<number>."""
    return "".join(
        rf"\newcommand{{\caution{name}}}{{{_RFC.sub(_CITED, escape(text))}}}" + "\n"
        for name, text in CAUTIONS.items()
        if rf"\caution{name}" in paper
    )

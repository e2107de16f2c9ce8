"""The warnings printed with every ranking, so that nobody takes it for advice. Each text is written
only in cautions.yaml. Notebooks show it. The paper and the site's guide may print the macro
\\caution<Name>."""

import re
from pathlib import Path
from typing import cast

from remeasure.bench.base.files import read_yaml
from remeasure.paper.notebook.as_latex import escape

CAUTIONS = cast(dict[str, str], read_yaml(Path(__file__).with_name("cautions.yaml")))
"""name -> text"""
_RFC, _CITED = re.compile(r"RFC (\d+)"), r"RFC~\1~\\cite{rfc\1}"


def as_macros(paper: str) -> str:
    """The \\newcommand lines of the cautions in `paper`; an RFC is cited by the key rfc<number>."""
    return "".join(
        rf"\newcommand{{\caution{name}}}{{{_RFC.sub(_CITED, escape(text))}}}" + "\n"
        for name, text in CAUTIONS.items()
        if rf"\caution{name}" in paper
    )

"""A check that paper and site include what notebooks hand over, and nothing else.

Numbers, figures and tables are handed over for the paper, or with `paper=False` for the web alone.
One that is left out is an error: nobody would see what becomes of it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.paper.notebook.number import Number, Numbers
from remeasure.paper.notebook.opening_answer import answer_path


@dataclass(frozen=True)
class Kind:
    """One kind of thing that a notebook hands over and the paper includes by name."""

    name: str
    """name of the kind, in the plural, for messages"""
    pattern: str
    """regular expression of the LaTeX that includes one; `{}` stands for the notebook's prefix"""
    written: str
    """how one is written in LaTeX, for messages"""


# The conditions of a sentence (publish.prose) have names without backslash.
NUMBERS = Kind("numbers", r"(?<![A-Za-z])({}[A-Z][A-Za-z]*)", r"\{}")
FIGURES = Kind(
    "figures",
    r"\\includegraphics(?:\[[^]]*\])?\{{({}-[^}}]*?)(?:\.pdf)?\}}",
    r"\includegraphics{{{}.pdf}}",
)
TABLES = Kind(
    "tables",
    r"\\tablerows\{{({}-[^}}]*?)(?:\.tex)?\}}",
    r"\tablerows{{{}}}",
)


def check_paper(handed: Iterable[Path], numbers: Numbers, sources: Iterable[Path]) -> None:
    """Check that the paper includes what notebooks hand over to it. Raises UserError for a number,
    figure or table that no notebook has, and for one that the paper lacks.

    `handed` are the notebooks' folders; `numbers` are those in them, by macro. A notebook of which
    the paper includes nothing, such as the notebook of a scenario without a section, is not
    checked.
    """
    folders = {Name.of_notebook(folder.name): folder for folder in handed}
    lines = _lines(sources)
    given = {
        name: {
            NUMBERS: {n for n, one in numbers.items() if _is_of(name, n) and in_paper(one)},
            FIGURES: {path.stem for path in folder.glob("figures/*.pdf")},
            TABLES: {path.stem for path in folder.glob(f"tables/{name.prefix}-*.tex")}
            - {f"{name.scenario}-campaign"},
        }
        for name, folder in folders.items()
    }
    missing, unused = [], []
    for name, of_kind in given.items():
        used = {kind: _used(kind, name, lines) for kind in of_kind}
        for kind, there in of_kind.items():
            missing += [
                f"{where}: {kind.written.format(found)}"
                for found, where in used[kind].items()
                if found not in there
            ]
            left = sorted(there - set(used[kind]))
            if left and any(used.values()):
                listed = ", ".join(kind.written.format(one) for one in left)
                drop = "drop it, or " if kind is NUMBERS else ""
                unused.append(f"{kind.name} {listed} ({drop}hand it over with paper=False)")
    if missing:
        raise UserError(f"the paper includes what no notebook hands over: {'; '.join(missing)}")
    if unused:
        raise UserError(f"the paper does not include {'; '.join(unused)}")


def _lines(sources: Iterable[Path]) -> list[tuple[str, str]]:
    """Where each line is, and the line; comments are left out."""
    return [
        (f"{source}:{number}", line)
        for source in sources
        for number, line in enumerate(source.read_text().splitlines(), 1)
        if not line.lstrip().startswith("%")
    ]


def check_site(handed: Iterable[Path], numbers: Numbers, printed: set[str]) -> None:
    """Check that an answer, a page of the site or the README prints what was handed over for them
    alone. Raises UserError.

    `printed` are the numbers there, by macro; `handed` and `numbers` as of `check_paper`. A
    notebook without an answer is not checked.
    """
    unused = [
        number
        for name in (Name.of_notebook(folder.name) for folder in handed)
        if answer_path(name.notebook).exists()
        for number, one in numbers.items()
        if _is_of(name, number) and not in_paper(one) and number not in printed
    ]
    if unused:
        raise UserError(
            f"neither an answer, a page of the site nor the README prints {', '.join(unused)}, "
            "which notebooks hand over with paper=False; hand over what is printed alone"
        )


def in_paper(number: Number) -> bool:
    """Whether a number (an entry of numbers.json) was handed over for the paper."""
    return bool(number.get("paper", True))


def _is_of(name: Name, number: str) -> bool:
    return re.match(rf"{name.prefix}[A-Z]", number) is not None


def _used(kind: Kind, name: Name, lines: list[tuple[str, str]]) -> dict[str, str]:
    """Names of this kind that the paper includes from one notebook -> the file and line where each
    first occurs."""
    pattern = re.compile(kind.pattern.format(name.prefix))
    used: dict[str, str] = {}
    for where, line in lines:
        for found in pattern.findall(line):
            used.setdefault(found, where)
    return used

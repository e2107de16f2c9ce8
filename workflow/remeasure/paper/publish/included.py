"""Results of notebooks in paper and site; nothing else is handed over."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.paper.notebook.handed_number import Number, Numbers
from remeasure.paper.notebook.opening_answer import answer_path


@dataclass(frozen=True)
class Kind:
    """One kind of thing that a notebook hands over and the paper includes by name."""

    pattern: str
    """regular expression of the LaTeX that includes one; `{}` stands for the notebook's prefix"""
    written: str
    """how one is written in LaTeX, for messages"""


# The conditions of a sentence (publish.prose) have names without backslash.
NUMBERS = Kind(r"(?<![A-Za-z])({}[A-Z][A-Za-z]*)", r"\{}")
FIGURES = Kind(
    r"\\includegraphics(?:\[[^]]*\])?\{{({}-[^}}]*?)(?:\.pdf)?\}}", r"\includegraphics{{{}.pdf}}"
)
TABLES = Kind(r"\\tablerows\{{({}-[^}}]*?)(?:\.tex)?\}}", r"\tablerows{{{}}}")


class Printed(NamedTuple):
    """Results of notebooks in the paper."""

    numbers: dict[str, Number]
    figures: list[Path]
    """the SVG of each figure"""


def printed_in_paper(handed: Iterable[Path], numbers: Numbers, sources: Iterable[Path]) -> Printed:
    """The results that the LaTeX `sources` include. `handed` are the notebooks' folders; `numbers`
    are those in them, by macro. Raises UserError for a number, figure or table that no notebook
    hands over."""
    lines = _lines(sources)
    found, missing = Printed({}, []), []
    for folder in handed:
        name = Name.of_notebook(folder.name)
        figures = {path.stem: path for path in sorted(folder.glob("figures/*.svg"))}
        used = {kind: _used(kind, name, lines) for kind in (NUMBERS, FIGURES, TABLES)}
        there = {
            NUMBERS: numbers.keys(),
            FIGURES: figures.keys(),
            TABLES: {path.stem for path in folder.glob("tables/*.tex")},
        }
        missing += [
            f"{where}: {kind.written.format(one)}"
            for kind, of_kind in used.items()
            for one, where in of_kind.items()
            if one not in there[kind]
        ]
        found.numbers.update({n: numbers[n] for n in used[NUMBERS] if n in numbers})
        found.figures.extend(path for name, path in figures.items() if name in used[FIGURES])
    if missing:
        raise UserError(
            f"no notebook hands over results that the paper includes: {'; '.join(missing)}"
        )
    return found


def _lines(sources: Iterable[Path]) -> list[tuple[str, str]]:
    """Each line and its place; comments are left out."""
    return [
        (f"{source}:{number}", line)
        for source in sources
        for number, line in enumerate(source.read_text().splitlines(), 1)
        if not line.lstrip().startswith("%")
    ]


def _used(kind: Kind, name: Name, lines: list[tuple[str, str]]) -> dict[str, str]:
    """Names of this kind that the paper includes from one notebook -> the file and line of its
    first use."""
    pattern = re.compile(kind.pattern.format(name.prefix))
    used: dict[str, str] = {}
    for where, line in lines:
        for found in pattern.findall(line):
            used.setdefault(found, where)
    return used


def check_all_printed(notebooks: Iterable[str], numbers: Numbers, printed: set[str]) -> None:
    """Check that something prints each of the `numbers` (by macro) that `notebooks` hand over;
    `printed` are the macros in paper, answers, site and README. A notebook without an answer is not
    checked. Raises UserError."""
    prefixes = [Name.of_notebook(one).prefix for one in notebooks if answer_path(one).exists()]
    owned = re.compile(rf"(?:{'|'.join(prefixes)})[A-Z]")
    unused = [number for number in numbers if owned.match(number) and number not in printed]
    if unused:
        raise UserError(
            f"neither the paper, an answer, a page of the site nor the README prints "
            f"{', '.join(unused)}; hand over only printed ones"
        )

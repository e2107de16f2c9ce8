"""Results of notebooks in paper and site; nothing else is handed over."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.paper.notebook.handed_number import HandedNumber, HandedNumbers
from remeasure.paper.notebook.opening_answer import answer_path

_INCLUDED = {
    # The conditions of a sentence (publish.prose) have names without backslash.
    "numbers": (r"(?<![A-Za-z])({}[A-Z][A-Za-z]*)", r"\{}"),
    "figures": (
        r"\\includegraphics(?:\[[^]]*\])?\{{({}-[^}}]*?)(?:\.pdf)?\}}",
        r"\includegraphics{{{}.pdf}}",
    ),
    "tables": (r"\\tablerows\{{({}-[^}}]*?)(?:\.tex)?\}}", r"\tablerows{{{}}}"),
}
"""kind of result -> regular expression of the LaTeX that includes one by its name, in which `{}`
stands for the notebook's prefix; and its LaTeX for messages"""


class Printed(NamedTuple):
    numbers: dict[str, HandedNumber]
    figures: list[Path]
    """the SVG of each figure"""


def printed_in_paper(
    handed: Iterable[Path], numbers: HandedNumbers, sources: Iterable[Path]
) -> Printed:
    """The results that the LaTeX `sources` include. `handed` are the notebooks' folders; `numbers`
    are those in them, by macro. Raises UserError for a number, figure or table that no notebook
    hands over."""
    lines = _lines(sources)
    found, missing = Printed({}, []), []
    for folder in handed:
        prefix = Name.of_notebook(folder.name).prefix
        figures = {path.stem: path for path in sorted(folder.glob("figures/*.svg"))}
        tables = {path.stem for path in folder.glob("tables/*.tex")}
        there = {"numbers": numbers.keys(), "figures": figures.keys(), "tables": tables}
        for kind, (pattern, written) in _INCLUDED.items():
            used = _used(pattern.format(prefix), lines)
            missing += [
                f"{where}: {written.format(name)}"
                for name, where in used.items()
                if name not in there[kind]
            ]
            if kind == "numbers":
                found.numbers.update({name: numbers[name] for name in used if name in numbers})
            if kind == "figures":
                found.figures.extend(path for name, path in figures.items() if name in used)
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


def _used(pattern: str, lines: list[tuple[str, str]]) -> dict[str, str]:
    """Each name that lines of the paper include -> the file and line of its first use."""
    used: dict[str, str] = {}
    for where, line in lines:
        for found in re.findall(pattern, line):
            used.setdefault(found, where)
    return used


def check_all_printed(notebooks: Iterable[str], numbers: HandedNumbers, printed: set[str]) -> None:
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

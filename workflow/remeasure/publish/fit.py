"""A check in both directions that the paper includes what notebooks hand over."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from remeasure.errors import UserError
from remeasure.names import Name


@dataclass(frozen=True)
class Kind:
    """One kind of thing that a notebook hands over and the paper includes by name."""

    name: str
    """name of the kind, in the plural, for messages"""
    pattern: str
    """regular expression of the LaTeX that includes one; `{}` stands for the notebook's prefix"""
    written: str
    """how one is written in LaTeX, for messages"""
    otherwise: str
    """what to do with one that the paper is not meant to include, for messages"""


NUMBERS = Kind("numbers", r"\\({}[A-Z][A-Za-z]*)", r"\{}", "drop it from the notebook")
FIGURES = Kind(
    "figures",
    r"\\includegraphics(?:\[[^]]*\])?\{{({}-[^}}]*?)(?:\.pdf)?\}}",
    r"\includegraphics{{{}.pdf}}",
    "hand it over with paper=False",
)
TABLES = Kind(
    "tables",
    r"\\tablerows\{{({}-[^}}]*?)(?:\.tex)?\}}",
    r"\tablerows{{{}}}",
    "hand it over with paper=False",
)


def check_paper(handed: Iterable[Path], numbers: Iterable[str], sources: Iterable[Path]) -> None:
    """Check that the paper includes what notebooks hand over to it. Raises UserError for a number,
    figure or table that only one of the two sides has.

    `handed` are the notebooks' folders; `numbers` are the macros in them. A notebook of which the
    paper includes nothing, such as that of a scenario without a section, is not checked.
    """
    folders = {Name.of_notebook(folder.name): folder for folder in handed}
    lines = [
        (f"{source}:{number}", line)
        for source in sources
        for number, line in enumerate(source.read_text().splitlines(), 1)
        if not line.lstrip().startswith("%")
    ]
    given = {
        name: {
            NUMBERS: {n for n in numbers if re.match(rf"{name.prefix}[A-Z]", n)},
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
            if any(used.values()) and (left := sorted(there - set(used[kind]))):
                listed = ", ".join(kind.written.format(one) for one in left)
                unused.append(f"{kind.name} {listed} ({kind.otherwise})")
    if missing:
        raise UserError(f"the paper includes what no notebook hands over: {'; '.join(missing)}")
    if unused:
        raise UserError(f"the paper does not include {'; '.join(unused)}")


def _used(kind: Kind, name: Name, lines: list[tuple[str, str]]) -> dict[str, str]:
    """Names of this kind that the paper includes from one notebook -> the file and line where each
    first occurs."""
    pattern = re.compile(kind.pattern.format(name.prefix))
    used: dict[str, str] = {}
    for where, line in lines:
        for found in pattern.findall(line):
            used.setdefault(found, where)
    return used

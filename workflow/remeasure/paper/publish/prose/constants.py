"""The constants of method that the paper prints, and where they come from.

One line of paper/constants.tex is one constant, with its source as a comment:

    \\newcommand{\\cLevel}{\\qty{95}{\\percent}}  % remeasure.paper.analysis.estimates: LEVEL
    \\newcommand{\\cDelay}{\\qty{100}{\\milli\\second}}  % config/x.yaml: factors/network/delay
    \\newcommand{\\cTimeout}{\\qty{4}{\\second}}  % strongSwan, charon.retransmit_timeout

A value of a YAML file or of this package is compared with the macro, which prints it as it is, as
percent of a share, or as thousandths.
"""

import importlib
import math
import re
from collections.abc import Iterator
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.base.yaml_files import read_yaml

CONSTANTS = "constants.tex"
"""name of the file, in the folder of the paper"""
_LINE = re.compile(r"\\newcommand\{\\(c[A-Z][A-Za-z]*)\}\{(.*)\}\s*%\s*(\S.*)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PLACE = re.compile(r"(?:(?P<file>[\w./-]+\.yaml)|(?P<module>remeasure(?:\.\w+)+)): (?P<path>\S+)")


def check_constants(paper: Path) -> None:
    """Check that each constant has a source, has the value of that place, and is used. Raises
    UserError that lists all that is found."""
    path = paper / CONSTANTS
    text = "".join(p.read_text() for p in sorted(paper.rglob("*.tex")) if p != path)
    if found := list(_faults(path, text)):
        raise UserError("; ".join(found))


def _faults(path: Path, text: str) -> Iterator[str]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("%"):
            continue
        where = f"{path}:{number}"
        match = _LINE.fullmatch(line.strip())
        if not match:
            yield f"{where}: expected \\newcommand{{\\cName}}{{value}} % source; found {line!r}"
            continue
        name, body, source = match.groups()
        if not re.search(rf"\\{name}(?![A-Za-z])", text):
            yield f"{where}: the paper does not use \\{name}; remove it"
        if place := _PLACE.fullmatch(source):
            value = _value(place, where)
            if not _is(body, value):
                yield f"{where}: \\{name} is {body}, but {source} is {value}"


def _value(place: re.Match[str], where: str) -> object:
    """The value at a place of a YAML file or of this package. Raises UserError."""
    try:
        if place["file"]:
            value = read_yaml(ROOT / place["file"])
        else:
            value = importlib.import_module(place["module"])
        for key in place["path"].split("/"):
            if isinstance(value, dict):
                value = next(item for name, item in value.items() if str(name) == key)
            elif isinstance(value, list):
                value = value[int(key)]
            else:
                value = getattr(value, key)
    except (LookupError, AttributeError, ImportError, StopIteration, ValueError) as error:
        raise UserError(f"{where}: {place[0]}: no such value ({error!r})") from None
    return value


def _is(body: str, value: object) -> bool:
    """Whether a macro prints a value: the number itself, percent of a share, or thousandths."""
    printed = float(number[0]) if (number := _NUMBER.search(body)) else math.nan
    times = 100 if r"\percent" in body else 1000 if r"\milli" in body else 1
    return any(
        math.isclose(printed, factor * float(found), rel_tol=1e-9)
        for found in _NUMBER.findall(str(value))
        for factor in {1, times}
    )

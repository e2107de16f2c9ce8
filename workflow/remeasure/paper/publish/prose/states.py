"""The paper's sentences on data (\\states) and its identifiers of statements (\\claim), checked
against results of notebooks."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.paper.notebook.as_latex import escape
from remeasure.paper.notebook.handed_number import HandedNumbers
from remeasure.paper.publish.prose.conditions import (
    ConditionCheck,
    Malformed,
    NotMeasured,
    Quantities,
    Unknown,
    answer,
)

_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%.*")


@dataclass(frozen=True)
class Argument:
    """One argument of a macro: the text between its braces."""

    text: str
    begin: int
    """place of its first character in the source"""

    @property
    def end(self) -> int:
        """Place of the brace that closes it."""
        return self.begin + len(self.text)


class Source:
    """A LaTeX file. Blanks replace its comments, so that each place is the place in the file."""

    def __init__(self, path: Path):
        self.path, self.written = path, path.read_text()
        self.text = _COMMENT.sub(lambda found: " " * len(found[0]), self.written)

    def where(self, place: int) -> str:
        """'file:line' of a place."""
        return f"{self.path}:{self.text.count(chr(10), 0, place) + 1}"

    def calls(self, macro: str, arguments: int) -> Iterator[list[Argument]]:
        """The arguments in braces of each use of a macro (without backslash), nested ones too,
        without its definition. Raises UserError for a use that lacks an argument, and for a brace
        that is not closed."""
        for use in re.finditer(rf"\\{macro}(?![A-Za-z@}}#])", self.text):
            found: list[Argument] = []
            place = use.end()
            for _ in range(arguments):
                found.append(self.argument(place, f"\\{macro}"))
                place = found[-1].end + 1
            yield found

    def argument(self, place: int, macro: str) -> Argument:
        """The argument in braces that begins at a place, or after blanks. `macro`: for messages.
        Raises UserError."""
        begin = place + len(self.text[place:]) - len(self.text[place:].lstrip())
        if self.text[begin : begin + 1] != "{":
            raise UserError(f"{self.where(place)}: {macro}: expected an argument in braces")
        depth = 0
        for brace in re.finditer(r"\\.|[{}]", self.text[begin:], flags=re.DOTALL):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if depth == 0:
                return Argument(self.text[begin + 1 : begin + brace.start()], begin + 1)
        raise UserError(f"{self.where(begin)}: {macro}: a brace is not closed")


@dataclass(frozen=True)
class Failed:
    """A sentence of which a condition does not hold."""

    key: str
    """all of its conditions, as LaTeX reads them"""
    where: str
    """file and line of the condition"""
    answer: ConditionCheck

    def __str__(self) -> str:
        return f"{self.where}: {self.answer.condition}: found: {self.answer.found}"


def check_states(
    sources: Iterable[Path], handed: Iterable[Path], numbers: HandedNumbers, own: Iterable[str] = ()
) -> list[Failed]:
    """Check the paper's sentences against the `numbers` in the `handed` folders. Returns conditions
    that are false for data of a reader's `own` notebooks, or were not measured. Raises UserError
    for a condition that is false for the data with which the paper is published, for a name that no
    notebook hands over, and for an invalid condition."""
    folders = list(handed)
    ledgers = (path for folder in folders for path in folder.glob("claims.json"))
    claims = {one["id"]: one for path in ledgers for one in json.loads(path.read_text())}
    data = Quantities(numbers, claims, {folder.name for folder in folders})
    failed = [one for path in sources for one in _failed(Source(path), data)]
    allowed = set(own)
    wrong = [
        one
        for one in failed
        if one.answer.measured and not {*map(data.notebook_of, one.answer.names)} & allowed
    ]
    if wrong:
        listed = "; ".join(map(str, wrong))
        raise UserError(f"statements of the paper that its data do not show: {listed}")
    return failed


def as_macros(failed: Iterable[Failed]) -> str:
    """The lines by which \\states prints false conditions next to a sentence."""
    said: dict[str, list[str]] = {}
    for one in failed:
        found = one.answer.found if one.answer.measured else "not measured"
        said.setdefault(one.key, []).append(f"{one.answer.condition}: {found}")
    return "".join(
        rf"\expandafter\gdef\csname fails:\detokenize{{{key}}}\endcsname"
        rf"{{{escape('; '.join(dict.fromkeys(found)))}}}" + "\n"
        for key, found in said.items()
    )


def _failed(source: Source, data: Quantities) -> Iterator[Failed]:
    for conditions, _ in source.calls("states", 2):
        key = _key(source, conditions)
        for found in re.finditer(r"[^;]+", conditions.text):
            text = " ".join(found[0].split())
            where = source.where(conditions.begin + found.end() - len(found[0].lstrip()))
            try:
                one = answer(text, data)
            except Unknown as error:
                raise UserError(
                    f"{where}: \\states: {text!r}: no notebook hands over {error}"
                ) from None
            except Malformed as error:
                raise UserError(f"{where}: \\states: {text!r}: {error}") from None
            if not one.holds:
                yield Failed(key, where, one)
    for (name,) in source.calls("claim", 1):
        try:
            data.claim(name.text)
        except NotMeasured:
            pass
        except Unknown:
            where = source.where(name.begin)
            raise UserError(f"{where}: \\claim: no statement {name.text!r}") from None


def _key(source: Source, conditions: Argument) -> str:
    """The conditions as LaTeX reads them: blanks in a row are one."""
    if not conditions.text.strip() or not all(map(str.strip, conditions.text.split(";"))):
        raise UserError(f"{source.where(conditions.begin)}: \\states: an empty condition")
    if "%" in source.written[conditions.begin : conditions.end]:
        raise UserError(
            f"{source.where(conditions.begin)}: \\states: a comment within conditions; move it"
        )
    return re.sub(r"\s+", " ", conditions.text)

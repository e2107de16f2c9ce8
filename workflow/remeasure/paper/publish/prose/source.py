"""LaTeX sources as text of which each place has its line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from remeasure.bench.base.errors import UserError

_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%.*")


@dataclass(frozen=True)
class Argument:
    """One argument of a macro: what is between its braces."""

    text: str
    begin: int
    """place of its first character in the source"""

    @property
    def end(self) -> int:
        """Place of the brace that closes it."""
        return self.begin + len(self.text)


@dataclass(frozen=True)
class Source:
    """A LaTeX file. Blanks replace its comments, so that each place is the
    place in the file."""

    path: Path
    text: str
    written: str
    """the text with its comments"""

    @classmethod
    def read(cls, path: Path) -> "Source":
        """Read a file."""
        written = path.read_text()
        return cls(path, _COMMENT.sub(lambda found: " " * len(found[0]), written), written)

    def where(self, place: int) -> str:
        """'file:line' of a place."""
        return f"{self.path}:{self.text.count(chr(10), 0, place) + 1}"

    def calls(self, macro: str, arguments: int) -> Iterator[list[Argument]]:
        """The arguments in braces of each use of a macro (without backslash), nested ones too, but
        not of its definition. Raises UserError for a use that lacks an argument, and for a brace
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

"""swanctl.conf(5) and strongswan.conf(5), read as strongSwan's parser reads them: sections,
references and includes. charon gets the operator's own text. Each setting keeps the span of its
text, for messages and for the few settings that the lab has to change."""

import copy
import functools
import glob
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from remeasure.bench.base.errors import UserError

GUEST = "/etc/swanctl"
"""folder of swanctl.conf in a guest"""
_BLANK = re.compile(r"(?:\s|#[^\n]*)*")
_NAME = re.compile(r'[^#{}:.,="\r\n\t ]+')
_REFERENCE = re.compile(r'[^#{}:,="\r\n\t ]+')
_WORD = re.compile(r'[\t\r ]*(?:([^#}"\r\n\t ]+)|"((?:[^"\\]|\\.)*)")', re.DOTALL)
_OPEN = re.compile(r'[\t\r ]*(?=")')
_ESCAPE = re.compile(r"\\(\r?\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\n": "", "\r\n": ""}
_INCLUDE = re.compile(r'include[\t ]+(?![=\t ])(?:"([^"]*)"|((?:\\.|[^\\"#}\r\n\t ])*))')
_DEEPEST = 10


class Refused(UserError):
    """The lab cannot follow a configuration."""


class Spot(NamedTuple):
    """The place of a setting: a file, a line, and the span of its text."""

    file: Path
    line: int
    begin: int = 0
    end: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Section(dict[str, Any]):
    """name -> text, or another Section. A setting without a value is an empty text."""

    def __init__(self, spot: Spot) -> None:
        super().__init__()
        self.spot = spot
        self.spots: dict[str, Spot] = {}
        self.references: list[str] = []
        """names of sections whose settings it inherits"""

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Section":
        """A section with this content, of no file."""
        made = cls(Spot(Path("made"), 1))
        for name, value in content.items():
            made[name] = cls.of(value) if isinstance(value, Mapping) else value
        return made

    def sections(self, prefix: str = "") -> "dict[str, Section]":
        """The sections inside whose names begin with `prefix`, in their order."""
        return {
            name: inside
            for name, inside in self.items()
            if isinstance(inside, Section) and name.startswith(prefix)
        }

    def section(self, name: str) -> "Section":
        """The section of a name; an empty one if there is none."""
        inside = self.get(name)
        return inside if isinstance(inside, Section) else Section(self.spot)

    def text(self, key: str, default: str = "") -> str:
        """The value of a setting; the default if it has none."""
        value = self.get(key)
        return value if isinstance(value, str) and value else default

    def items_of(self, key: str) -> list[str]:
        """The items of a list, such as addresses."""
        return [one for one in re.split(r"\s*,\s*", self.text(key).strip()) if one]

    def refuse(self, key: str, why: str) -> Refused:
        """An error that shows where a setting is, and its value."""
        value = self.get(key)
        shown = f"{key} = {value}" if isinstance(value, str) else key
        return Refused(f"{self.spots.get(key, self.spot)}: {shown}: {why}")


@dataclass
class ConfFile:
    """A configuration with its includes. `texts`: path in the guest -> where it was read, and its
    text; `settings`: place of each setting -> its key."""

    root: Section
    texts: dict[str, tuple[Path, str]] = field(default_factory=dict)
    settings: dict[Spot, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def edited(self, changes: Mapping[str, str]) -> dict[str, str]:
        """Path in the guest -> text, in which settings of some keys have another text."""
        found = {}
        for guest, (path, text) in self.texts.items():
            for spot in sorted(self.settings, reverse=True):
                if spot.file == path and (key := self.settings[spot]) in changes:
                    text = text[: spot.begin] + changes[key] + text[spot.end :]
            found[guest] = text
        return found


def read_text(path: Path) -> str:
    """The text of a file. Raises Refused unless it is one, and OSError."""
    if path.exists() and not path.is_file():
        raise Refused(f"{path}: not a file; expected one with the text of swanctl.conf(5)")
    content = path.read_bytes()
    if b"\0" in content:
        raise Refused(f"{path}: found binary data, expected the text of swanctl.conf(5)")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_conf(path: Path, text: str, guest: str = f"{GUEST}/swanctl.conf") -> ConfFile:
    """Sections and settings of a file, whose path in the guest is `guest`. Raises Refused with
    file and line."""
    conf = ConfFile(Section(Spot(path, 1)))
    opened = [conf.root]
    _Reader(conf, opened, path, guest, text).read()
    if len(opened) > 1:
        raise Refused(f"{opened[-1].spot}: this section has no end; expected }}")
    _inherit(conf.root, conf.root, ())
    return conf


@dataclass
class _Reader:
    """Reads a file. An include stands anywhere, so open sections outlive a file."""

    conf: ConfFile
    opened: list[Section]
    path: Path
    guest: str
    text: str
    depth: int = 0
    at: int = 0
    """position in the text"""

    def read(self) -> None:
        self.conf.texts[self.guest] = (self.path, self.text)
        while sign := self._next():
            if sign == "}" and len(self.opened) > 1:
                self.at += 1
                self.opened.pop()
            elif match := _INCLUDE.match(self.text, self.at):
                self.at = match.end()
                self._include(match[1] or re.sub(r"\\(.)", r"\1", match[2] or ""))
            else:
                self._statement()

    def _include(self, pattern: str) -> None:
        if self.depth >= _DEEPEST:
            raise Refused(f"{self.path}: includes nest deeper than {_DEEPEST}; expected fewer")
        home, (first, _) = next(iter(self.conf.texts.items()))
        # The operator's folder stands for the guest's, wherever it is.
        folders = {f"{PurePosixPath(home).parent}/": first.parent, "/": Path("/")}
        base = next(filter(pattern.startswith, folders), "")
        here, pattern = folders.get(base, self.path.parent), pattern.removeprefix(base)
        # Unlike Path.glob, this leaves out names that begin with a dot, as glob(3) does.
        found = sorted(glob.glob(pattern, root_dir=here))  # noqa: PTH207
        found = [one for one in found if (here / one).is_file()]
        if not found and not set("*?[") & set(pattern):
            self.conf.notes.append(f"include {pattern}: no such file, so charon leaves it out")
        for one in found:
            guest = os.path.normpath(PurePosixPath(base or self.guest.rpartition("/")[0], one))
            text = read_text(here / one)
            _Reader(self.conf, self.opened, here / one, guest, text, self.depth + 1).read()

    def _statement(self) -> None:
        """A setting or the begin of a section."""
        section, spot = self.opened[-1], Spot(self.path, self._line(), self.at)
        name = self._take(_NAME, "a name or }" if len(self.opened) > 1 else "a name")
        sign, references = self._next(), list[str]()
        if sign == "=":
            self.at += 1
            section[name] = self._value()
            section.spots[name] = spot = spot._replace(end=self.at)
            self.conf.settings[spot] = name
            return
        while sign == ":" or (sign == "," and references):
            self.at += 1
            self._next()
            references.append(self._take(_REFERENCE, "the name of a section"))
            sign = self._next()
        if sign != "{":
            raise self._fail("{" if references else "= or {")
        self.at += 1
        if not isinstance(section.get(name), Section):
            section[name] = Section(spot)
        section.spots[name] = spot
        section[name].references += references
        self.opened.append(section[name])

    def _line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    def _fail(self, expected: str) -> Refused:
        rest = self.text[self.at : self.at + 40].splitlines()
        found = repr(rest[0].strip()) if rest else "the end of the file"
        return Refused(f"{self.path}:{self._line()}: found {found}, expected {expected}")

    def _next(self) -> str:
        """The next character that belongs to no space or comment; empty at the end."""
        self._take(_BLANK, "")
        return self.text[self.at : self.at + 1]

    def _take(self, form: re.Pattern[str], expected: str) -> str:
        match = form.match(self.text, self.at)
        if not match:
            raise self._fail(expected)
        self.at = match.end()
        return match[0]

    def _value(self) -> str:
        """The words of a value, with one space between them."""
        words = []
        while match := _WORD.match(self.text, self.at):
            self.at = match.end()
            quoted = _ESCAPE.sub(lambda one: _ESCAPED.get(one[1], one[1]), match[2] or "")
            words.append(match[1] or quoted)
        if match := _OPEN.match(self.text, self.at):
            self.at = match.end()
            raise self._fail('a second "')
        return " ".join(words)


def _inherit(section: Section, root: Section, above: tuple[Section, ...]) -> None:
    """Fill a section, and all inside, with the settings of those to which they refer. One that does
    not exist has none, and of several the first decides. `above`: sections that are being filled,
    or that contain one."""
    above = (*above, section)
    while section.references:
        reference = section.references.pop(0)
        found = functools.reduce(Section.section, reference.split("."), root)
        if any(found is one for one in above):
            raise Refused(
                f"{section.spot}: refers to {reference}, which refers or belongs to itself"
            )
        _inherit(found, root, above)
        _fill(section, found)
    for inside in section.sections().values():
        _inherit(inside, root, above)


def _fill(inside: Section, defaults: Section) -> None:
    for name, value in defaults.items():
        if isinstance(value, Section) and isinstance(inside.get(name), Section):
            _fill(inside[name], value)
        elif name not in inside:
            inside[name] = copy.deepcopy(value)
            inside.spots[name] = defaults.spots[name]

"""swanctl.conf(5) and strongswan.conf(5), read as strongSwan's parser reads them: sections,
references and includes. charon gets the operator's own text. Each setting keeps the span of its
text, for messages and for the few settings that the lab has to change."""

import copy
import glob
import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from remeasure.bench.base.errors import UserError, advice

GUEST = "/etc/swanctl"
"""folder of swanctl.conf in a guest"""
_BLANK = re.compile(r"(?:\s|#[^\n]*)*")
_NAME = re.compile(r'[^#{}:.,="\r\n\t ]+')
_REFERENCE = re.compile(r'[^#{}:,="\r\n\t ]+')
_BARE = re.compile(r'[^#}"\r\n\t ]+')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
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

    def yes(self, key: str) -> bool:
        """Whether a switch is on."""
        return self.text(key).lower() in ("yes", "true", "1", "enabled")

    def refuse(self, key: str, why: str) -> Refused:
        """An error that shows where a setting is, and its value."""
        value = self.get(key)
        shown = f"{key} = {value}" if isinstance(value, str) else key
        return Refused(f"{self.spots.get(key, self.spot)}: {shown}: {why}")


@dataclass
class ConfFile:
    """A configuration with its includes. `texts`: path in the guest -> where it was read, and its
    text; `settings`: key, value and spot, of all settings."""

    root: Section
    texts: dict[str, tuple[Path, str]] = field(default_factory=dict)
    settings: list[tuple[str, Spot]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def edited(self, changes: dict[Spot, str]) -> dict[str, str]:
        """Path in the guest -> text, with the text of some settings changed."""
        found = {}
        for guest, (path, text) in self.texts.items():
            for spot in sorted((one for one in changes if one.file == path), reverse=True):
                text = text[: spot.begin] + changes[spot] + text[spot.end :]
            found[guest] = text
        return found


def read_text(path: Path) -> str:
    """The text of a file. Raises Refused unless it is one."""
    if path.exists() and not path.is_file():
        raise Refused(f"{path}: not a file; expected one with the text of swanctl.conf(5)")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Refused(advice(error) or f"{path}: {error.strerror}") from None
    if b"\0" in content:
        raise Refused(f"{path}: found binary data, expected the text of swanctl.conf(5)")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_conf(
    path: Path, text: str | None = None, guest: str = f"{GUEST}/swanctl.conf"
) -> ConfFile:
    """Sections and settings of a file, whose path in the guest is `guest`. Raises Refused with
    file and line."""
    conf = ConfFile(Section(Spot(path, 1)))
    parser = _Parser(conf, path.parent, str(PurePosixPath(guest).parent))
    parser.read(path, guest, read_text(path) if text is None else text)
    if len(parser.open) > 1:
        raise Refused(f"{parser.open[-1].spot}: this section has no end; expected }}")
    for number in range(len(parser.references)):
        parser.inherit(number)
    return conf


class _Parser:
    """Reads files into sections. An include stands anywhere, so open sections outlive a file."""

    def __init__(self, conf: ConfFile, folder: Path, home: str) -> None:
        self.conf, self.folder, self.home = conf, folder, home
        self.open = [conf.root]
        self.references: list[tuple[Section, str]] = []
        self._inheriting: set[int] = set()
        self._inherited: set[int] = set()

    def read(self, path: Path, guest: str, text: str, depth: int = 0) -> None:
        """Read one file."""
        self.conf.texts[guest] = (path, text)
        one = _Text(path, text)
        while sign := one.next():
            if sign == "}" and len(self.open) > 1:
                one.at += 1
                self.open.pop()
            elif match := _INCLUDE.match(text, one.at):
                one.at = match.end()
                self._include(
                    path,
                    guest,
                    match[1] if match[2] is None else re.sub(r"\\(.)", r"\1", match[2]),
                    depth,
                )
            else:
                self._statement(one)

    def _include(self, path: Path, guest: str, pattern: str, depth: int) -> None:
        if depth >= _DEEPEST:
            raise Refused(f"{path}: includes nest deeper than {_DEEPEST}; expected fewer")
        if pattern.startswith(f"{self.home}/"):
            # The operator's folder stands for it, wherever it is.
            here, base, pattern = self.folder, self.home, pattern.removeprefix(f"{self.home}/")
        elif pattern.startswith("/"):
            here, base, pattern = Path("/"), "/", pattern.lstrip("/")
        else:
            here, base = path.parent, str(PurePosixPath(guest).parent)
        # Unlike Path.glob, this leaves out names that begin with a dot, as glob(3) does.
        found = sorted(glob.glob(pattern, root_dir=here))  # noqa: PTH207
        found = [one for one in found if (here / one).is_file()]
        if not found and not set("*?[") & set(pattern):
            self.conf.notes.append(f"include {pattern}: no such file, so charon leaves it out")
        for one in found:
            inside = os.path.normpath(f"{base}/{one}")
            self.read(here / one, inside, read_text(here / one), depth + 1)

    def _statement(self, one: "_Text") -> None:
        """A setting or the begin of a section."""
        begin, line = one.at, one.line()
        name = one.take(_NAME, "a name or }" if len(self.open) > 1 else "a name")
        sign = one.next()
        if sign == "=":
            one.at += 1
            self.open[-1][name] = one.value()
            spot = Spot(one.path, line, begin, one.at)
            self.open[-1].spots[name] = spot
            self.conf.settings.append((name, spot))
            return
        references: list[str] = []
        while sign in ([":", ","] if references else [":"]):
            one.at += 1
            one.next()
            references.append(one.take(_REFERENCE, "the name of a section"))
            sign = one.next()
        if sign != "{":
            raise one.fail("{" if references else "= or {")
        one.at += 1
        spot = Spot(one.path, line)
        if not isinstance(self.open[-1].get(name), Section):
            self.open[-1][name] = Section(spot)
        self.open[-1].spots[name] = spot
        self.open.append(self.open[-1][name])
        self.references += [(self.open[-1], reference) for reference in references]

    def inherit(self, number: int) -> None:
        """Fill a section with the settings of another, by its reference. One that does not exist
        has none, and of several the first decides."""
        inside, reference = self.references[number]
        if number in self._inherited:
            return
        found: Any = self.conf.root
        for part in reference.split("."):
            found = found.get(part) if isinstance(found, Section) else None
        if not isinstance(found, Section):
            return
        within = {id(one) for one in _tree(found)}
        if number in self._inheriting or id(inside) in within:
            raise Refused(
                f"{inside.spot}: refers to {reference}, which refers or belongs to itself"
            )
        self._inheriting.add(number)
        for other, (section, _) in enumerate(self.references):
            if id(section) in within:
                self.inherit(other)
        _fill(inside, found)
        self._inherited.add(number)


class _Text:
    """A text, and a position in it."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text, self.at = path, text, 0
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def line(self) -> int:
        return bisect_left(self._ends, self.at) + 1

    def fail(self, expected: str) -> Refused:
        rest = self.text[self.at : self.at + 40].splitlines()
        found = repr(rest[0].strip()) if rest else "the end of the file"
        return Refused(f"{self.path}:{self.line()}: found {found}, expected {expected}")

    def next(self) -> str:
        """The next character that belongs to no space or comment; empty at the end."""
        self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]
        return self.text[self.at : self.at + 1]

    def take(self, form: re.Pattern[str], expected: str) -> str:
        match = form.match(self.text, self.at)
        if not match:
            raise self.fail(expected)
        self.at = match.end()
        return match[0]

    def value(self) -> str:
        """The words of a value, with one space between them."""
        parts: list[str] = []
        while True:
            at = re.compile(r"[\t\r ]*").match(self.text, self.at).end()  # type: ignore[union-attr]
            if match := _BARE.match(self.text, at):
                parts.append(match[0])
            elif match := _QUOTED.match(self.text, at):
                parts.append(_ESCAPE.sub(lambda one: _ESCAPED.get(one[1], one[1]), match[1]))
            elif self.text.startswith('"', at):
                self.at = at
                raise self.fail('a second "')
            else:
                return " ".join(parts)
            self.at = match.end()


def _tree(section: Section) -> Iterator[Section]:
    """A section and all inside."""
    yield section
    for inside in section.sections().values():
        yield from _tree(inside)


def _fill(inside: Section, defaults: Section) -> None:
    for name, value in defaults.items():
        if isinstance(value, Section) and isinstance(inside.get(name), Section):
            _fill(inside[name], value)
        elif name not in inside:
            inside[name] = copy.deepcopy(value)
            inside.spots[name] = defaults.spots[name]

"""Files: written whole or not at all, and read only where they come to an end. Of text, YAML and
JSON that others may have written, one line says what is wrong; nothing is passed over or guessed.
"""

import errno
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import yaml

from remeasure.bench.base.errors import UserError, naming

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def require_regular(path: Path) -> Path:
    """`path`, unless it is a pipe, a device or a socket, whose reader may wait for ever. Opening a
    missing file or a folder fails by itself. Raises UserError."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except (OSError, ValueError):
        return path
    if kind in _KINDS:
        raise UserError(f"{path}: found {_KINDS[kind]}, expected a file; remove it")
    return path


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal. Raises UserError for a pipe or a device."""
    with require_regular(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a name next to `path` to write to. It becomes `path` when the block ends, and is
    removed when the block raises. A killed process leaves it behind, and the next one overwrites
    it."""
    part = path.with_name(f"{path.name}.part")
    try:
        with naming(path):
            yield part
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def atomic_write(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write `content` to `path`, whole or not at all; `mode`, as in open(2), is for a new file."""
    data = content.encode() if isinstance(content, str) else content
    with atomic_path(path) as part:
        part.touch(mode)
        part.write_bytes(data)


def write_once(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write all of `content` to `path`, unless `path` exists. Several processes may try at once, on
    this machine or on others that share the folder: the first one wins. That needs hard links,
    which file systems of clusters have; locks of files do nothing on some of them. Raises UserError
    without hard links."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with naming(path):
            part.touch(mode)
            part.write_bytes(content.encode() if isinstance(content, str) else content)
        os.link(part, path)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP) or error.filename2 is None:
            raise
        raise UserError(
            f"{path.parent}: found a file system without hard links, by which the first of several "
            "processes is told; expected one with hard links: keep the clone there"
        ) from error
    finally:
        part.unlink(missing_ok=True)


_DEEPEST = 50
"""most levels of nested lists and mappings in a document"""
_OCTAL = re.compile(r"[-+]?0[0-9_]+").fullmatch
"""a number that YAML reads to the base 8, whatever its author meant"""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""the faster of two equal loaders, by six times, if libyaml is there"""


def read_yaml(path: Path) -> object:
    """The document in `path`. Raises UserError if it is missing, cannot be read, or is not YAML."""
    return parse_yaml(path, read_text(path))


def read_text(path: Path) -> str:
    """The text in `path`. Raises UserError if it is missing, or cannot be read."""
    try:
        return require_regular(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        others = sorted(p.stem for p in path.parent.glob("*.yaml"))
        known = f"; {path.parent.name} known: {', '.join(others)}" if others else ""
        raise UserError(f"{path}: no such file{known}") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; expected a file that can be read") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        found = error.object[error.start : error.end].hex(" ")
        raise UserError(
            f"{path}:{line}: found byte {found}, expected text in UTF-8; save it as UTF-8"
        ) from None


def parse_yaml(path: Path, text: str) -> object:
    """The document in `text`, which stands in `path`. Raises UserError if it is not YAML."""
    try:
        _check_structure(text)
        return yaml.load(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = f":{mark.line + 1}" if (mark := error.problem_mark) else ""
        raise UserError(f"{path}{line}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:  # such as a date or a number that is none
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


def _check_structure(text: str) -> None:
    """Errors that YAML's reader lets pass: a key given twice, a number with a leading zero, and a
    depth at which libyaml, which builds by recursion, ends the process. Raises YAMLError."""
    opened: list[tuple[set[str], Iterator[bool]]] = []
    # Of each collection that is open: its keys so far, and whether its next node is a key.
    for event in yaml.parse(text, Loader=_LOADER):
        problem = ""
        if isinstance(event, yaml.CollectionEndEvent):
            opened.pop()
        if isinstance(event, yaml.NodeEvent) and opened:
            keys, is_key = opened[-1]
            if next(is_key) and isinstance(event, yaml.ScalarEvent):
                if event.value in keys:
                    problem = f"found {event.value!r} twice, expected each key once; remove one"
                keys.add(event.value)
        if isinstance(event, yaml.ScalarEvent) and not event.style and _OCTAL(event.value):
            problem = problem or f"found {event.value}, expected a number without a leading zero"
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append((set(), cycle([isinstance(event, yaml.MappingStartEvent), False])))
        if len(opened) > _DEEPEST:
            problem = f"found more than {_DEEPEST} levels, expected fewer"
        if problem:
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


def read_json(source: str, content: bytes) -> object:
    """The document in `content`; `source` is its name in messages. Raises UserError for anything
    but JSON in UTF-8, and for half a character of UTF-16, which no file can contain."""
    try:
        document = json.loads(content.decode())
        if _SURROGATE.search(content):
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeError as error:
        raise UserError(f"{source}: not UTF-8 text ({error}); restore it") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{source}: not JSON ({error}); restore it") from None
    return document


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_STRANGE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|(?![0-9])\d")
_CONTROLS = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])
"""all that is strange in ASCII"""


def strange_line(text: str) -> tuple[int, str] | None:
    """The first line with a character that no tool prints, and its number from 1; None if there is
    none. Lines end in a line feed, which a carriage return may precede."""
    # Almost every text is ASCII without them. A search takes thirty times as long to find that.
    if text.isascii() and len(text.encode().translate(None, _CONTROLS)) == len(text):
        return None
    text = text.replace("\r\n", "\n")
    strange = _STRANGE.search(text)
    if strange is None:
        return None
    number = text.count("\n", 0, strange.start())
    return number + 1, text.split("\n")[number]

"""Files: written whole or not at all, and read only where they come to an end. Of text, YAML and
JSON that others may have written, one line says what is wrong; nothing is passed over or guessed.
"""

import errno
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from remeasure.bench.base.errors import UserError, naming


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
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


def atomic_write(path: Path, content: str, mode: int = 0o666) -> None:
    """Write `content` to `path`, whole or not at all; `mode`, as in open(2), is for a new file."""
    with atomic_path(path) as part:
        part.touch(mode)
        part.write_text(content, encoding="utf-8")


def write_once(path: Path, secret: str) -> None:
    """Write all of `secret` to `path`, which only this user can read, unless `path` exists. Several
    processes may try at once, on this machine or on others that share the folder: the first one
    wins. That needs hard links, which file systems of clusters have; locks of files do nothing on
    some of them. Raises UserError without hard links."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with naming(path):
            part.touch(0o600)
            part.write_text(secret, encoding="utf-8")
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


_OCTAL = re.compile(r"[-+]?0[0-9_]+").fullmatch
"""a number that YAML reads to the base 8, whatever its author meant"""
_DIGITS = re.compile(r"[-+]?[0-9]+").fullmatch
_INT, *_OF_KEYS = (f"tag:yaml.org,2002:{kind}" for kind in ("int", "str", "merge"))
_MOST_VALUES = 1_000_000
"""values of a document, with each alias written out, at most"""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A reader that refuses a key given twice, a key that is no word, and a whole number not in
    plain digits (0x10, 010, 1_0, 1:30), which may be a name. It is faster by six times if libyaml
    is there."""

    def construct_scalar(self, node: yaml.ScalarNode) -> Any:
        odd = _OCTAL(node.value) or (node.tag == _INT and not _DIGITS(node.value))
        if odd and not node.style:
            problem = f"found {node.value}, expected digits without a leading zero; quote a name"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        return super().construct_scalar(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set[str]()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in keys:
                problem = f"found {key.value!r} twice, expected each key once; remove one"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            if key.tag not in _OF_KEYS:
                problem = f"found the key {key.value}, expected a word; put it in quotes"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            keys.add(key.value)
        return super().construct_mapping(node, deep)  # type: ignore[no-any-return]


def read_yaml(path: Path) -> object:
    """The document in `path`. Raises UserError if it is missing, cannot be read, or is not YAML."""
    return parse_yaml(path, read_text(path))


def read_text(path: Path) -> str:
    """The text in `path`. Raises UserError if it is missing, or cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
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
    """The document in `text`, which stands in `path`. Raises UserError if it is not YAML, or if its
    aliases stand for more than _MOST_VALUES values."""
    try:
        document = yaml.load(text, Loader=_Loader)
        if (values := _values(document, {})) > _MOST_VALUES:
            most = f"expected at most {_MOST_VALUES}; write them out"
            raise UserError(f"{path}: found aliases that stand for {values} values, {most}")
        return document
    except RecursionError:
        found = "brackets nested too deeply, or an alias within its own value; write it out"
        raise UserError(f"{path}: not valid YAML: found {found}") from None
    except yaml.MarkedYAMLError as error:
        line = f":{mark.line + 1}" if (mark := error.problem_mark) else ""
        raise UserError(f"{path}{line}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:  # such as a date or a number that is none
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


def _values(value: object, known: dict[int, int]) -> int:
    """Number of values in a document with each alias written out. `known`: a list or mapping that
    was seen -> its number; 0: it is being counted. Raises RecursionError if one contains itself."""
    if not isinstance(value, dict | list):
        return 1
    if known.get(id(value)) == 0:
        raise RecursionError
    if id(value) not in known:
        known[id(value)] = 0
        parts = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_values(part, known) for part in parts)
    return known[id(value)]


def read_json(source: str, content: bytes) -> object:
    """The document in `content`; `source` is its name in messages. Raises UserError for anything
    but JSON in UTF-8."""
    try:
        return json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise UserError(f"{source}: not JSON ({error}); restore it") from None

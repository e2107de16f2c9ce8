"""Reading YAML: one line for whatever is wrong in a file, and nothing in it is passed over."""

import re
from pathlib import Path

import yaml

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.regular import require_regular

_DEEPEST = 50
"""levels of lists and mappings in each other that a document may have"""
_OCTAL = re.compile(r"[-+]?0[0-9_]+").fullmatch
"""a number that YAML reads to the base 8, whatever its author meant"""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""of the two that read the same, the one that is six times as fast where libyaml is there"""


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
    """What YAML's reader lets pass: a key given twice, of which it takes the last; a number with a
    leading zero; and a depth at which libyaml, which builds by recursion, ends the process. Raises
    YAMLError."""
    opened: list[_Collection] = []
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            opened.pop()
        elif isinstance(event, yaml.NodeEvent):
            if opened and opened[-1].has(event):
                problem = f"found {event.value!r} twice, expected each key once; remove one"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
            if isinstance(event, yaml.ScalarEvent) and not event.style and _OCTAL(event.value):
                problem = f"found {event.value}, expected a number without a leading zero"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
            if isinstance(event, yaml.CollectionStartEvent):
                opened.append(_Collection(isinstance(event, yaml.MappingStartEvent)))
        if len(opened) > _DEEPEST:
            problem = f"found more than {_DEEPEST} levels, expected fewer"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


class _Collection:
    """A list or a mapping while its document is read."""

    def __init__(self, is_mapping: bool):
        self.is_mapping = is_mapping
        self._nodes = 0
        self._keys: set[str] = set()

    def has(self, node: yaml.NodeEvent) -> bool:
        """Count the next node. True if it is a key that was there before."""
        self._nodes += 1
        is_key = self.is_mapping and self._nodes % 2 and isinstance(node, yaml.ScalarEvent)
        if not is_key:
            return False
        known = node.value in self._keys
        self._keys.add(node.value)
        return known

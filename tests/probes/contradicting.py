"""Real logs that were made to contradict themselves, as contradictions.yaml lists them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures"
LISTED = yaml.safe_load((HERE / "contradictions.yaml").read_text())


class Contradiction(NamedTuple):
    """One log that contradicts itself."""

    probe: str
    name: str
    """name of the log file, by which some probes know what a log is"""
    what: str
    content: bytes


def contradictions() -> Iterator[Contradiction]:
    """All that are listed."""
    for listed in LISTED:
        log = FIXTURES / listed["log"]
        change = _in_json if log.suffix == ".json" else _in_text
        for what, edits in listed["contradictions"].items():
            content = change(log.read_text(), edits).encode()
            yield Contradiction(listed["probe"], log.name, what, content)


def _in_text(text: str, edits: dict[str, str]) -> str:
    """`edits`: what stands there -> what stands there instead, the first time; behind '* ', each
    time."""
    for old, new in edits.items():
        each = old.startswith("* ")
        old = old.removeprefix("* ")
        assert old in text, old
        text = text.replace(old, new, -1 if each else 1)
    return text


def _in_json(text: str, edits: dict[str, object]) -> str:
    """`edits`: dotted path -> value, or '* <factor>'; whole numbers stay whole."""
    document = json.loads(text)
    for path, value in edits.items():
        *parents, last = (int(p) if p.isdigit() else p for p in path.split("."))
        place = document
        for parent in parents:
            place = place[parent]
        if factor := re.fullmatch(r"\* ([0-9.]+)", str(value)):
            old = place[last]
            value = type(old)(old * float(factor[1]))
        place[last] = value
    return json.dumps(document, indent=1)

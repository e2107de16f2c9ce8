"""The result of `explain`, as text for people and as JSON for programs."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from remeasure.paper.analysis.texts import interval_text
from remeasure.paper.publish.templates import macros

BEFORE, AFTER = 4, 4
"""lines shown before and after the line of a cell that handed something over"""
NO_ESTIMATE = (
    "no estimate of trials: counted, a version, a setting, a number of a study, or computed in "
    "that cell, as it says"
)


def as_text(found: dict[str, Any], rows: int) -> str:
    """The result as text for people, with at most `rows` observations."""
    return str(_SHOWN.text(found, _code(found["code"], found["line"]), rows)).removesuffix("\n")


def _code(code: str, line: int | None) -> Iterator[tuple[int, str, str]]:
    """The line of a cell that handed something over, marked, and the lines around it."""
    first = max((line or 1) - BEFORE, 1)
    for number, text in enumerate(code.splitlines(), 1):
        if first <= number <= (line or 1) + AFTER:
            yield number, ">" if number == line else "|", text


def _number(estimate: dict[str, Any]) -> str:
    value, low, high = (estimate[name] for name in ("value", "low", "high"))
    text = interval_text(value, low, high)
    if math.isnan(low) or math.isnan(high):
        return text
    what = "runs" if "file" in estimate else "blocks"
    return f"{text}, {estimate['n']} {what}"


def _archives(lines: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Each archive with its hash, and whether it is as it was released."""
    for archive, sha256, released in dict.fromkeys(
        (one["archive"], one["sha256"], one["released"]) for one in lines
    ):
        same = "as released" if sha256 == released else "not as released"
        yield archive, sha256, same if released else "not released"


_SHOWN = macros(__file__, "txt", number=_number, archives=_archives, no_estimate=NO_ESTIMATE)


def as_json(found: dict[str, Any]) -> str:
    return json.dumps(found, indent=1, default=lambda value: value.item())

"""The result of `explain`, as text for people and as JSON for programs."""

import json
import math
from collections.abc import Iterator
from typing import Any

from remeasure.paper.analysis.texts import interval_text

BEFORE, AFTER = 4, 4
"""lines shown before and after the line of a cell that handed something over"""
NO_ESTIMATE = (
    "no estimate of trials: counted, a version, a setting, a number of a study, or computed in "
    "that cell, as it says"
)


def as_text(found: dict[str, Any], rows: int) -> str:
    """The result as text for people, with at most `rows` observations."""
    lines = [f"{found['what']}: {found['shows']}".rstrip()]
    if found["words"]:
        lines.append(f"  {found['words']}")
    lines += [f"  printed    {place}" for place in found["printed"]]
    where = f"cell {found['cell']}" if found["cell"] else "see its claims"
    lines.append(f"  made by    {found['notebook']}, {where} (executed: {found['executed']})")
    lines += _code(found["code"], found["line"])
    if not found["estimates"]:
        lines += [f"  of         {found['of']}", f"  {NO_ESTIMATE}"]
    for estimate in found["estimates"]:
        lines += ["", *(f"  {line}" for line in _walk(estimate, rows))]
    return "\n".join(lines)


def _code(code: str, line: int | None) -> Iterator[str]:
    """The line of a cell that handed something over, marked, and the lines around it."""
    first = max((line or 1) - BEFORE, 1)
    for number, text in enumerate(code.splitlines(), 1):
        if first <= number <= (line or 1) + AFTER:
            yield f"        {number:4} {'>' if number == line else '|'} {text}"


def _walk(estimate: dict[str, Any], rows: int) -> Iterator[str]:
    """The lines about an estimate, and about those from which it was computed."""
    yield f"{estimate['says']} = {_number(estimate)}"
    if estimate["made_from"]:
        yield f"computed from {len(estimate['made_from'])} estimates:"
        for part in estimate["made_from"]:
            yield from (f"  {line}" for line in _walk(part, rows))
    elif "file" in estimate:
        yield f"from       {estimate['file']}"
    else:
        yield from _observations(estimate, rows)


def _number(estimate: dict[str, Any]) -> str:
    value, low, high = (estimate[name] for name in ("value", "low", "high"))
    text = interval_text(value, low, high)
    if math.isnan(low) or math.isnan(high):
        return text
    what = "runs" if "file" in estimate else "blocks"
    return f"{text}, {estimate['n']} {what}"


def _observations(estimate: dict[str, Any], rows: int) -> Iterator[str]:
    yield f"from       {estimate['from']}"
    for one in estimate["lines"]:
        at = f"{one['file']}:{one['line']}" if one["line"] else one["file"]
        yield f"  block {one['block']} trial {one['trial']}: {one['value']:g}   {at}"
        if one["text"]:
            yield f"    > {one['text']}"
    if estimate["rows"] > rows:
        yield f"  ... {estimate['rows'] - rows} more (--rows)"
    for archive, sha256, released in dict.fromkeys(
        (one["archive"], one["sha256"], one["released"]) for one in estimate["lines"]
    ):
        state = "not released"
        if released:
            state = "as released" if sha256 == released else "not as released"
        yield f"archive    {archive}  sha256 {sha256}  ({state})"


def as_json(found: dict[str, Any]) -> str:
    return json.dumps(found, indent=1, default=lambda value: value.item())

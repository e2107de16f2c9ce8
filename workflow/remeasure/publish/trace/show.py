"""The result of `explain`, as text for people and as JSON for programs."""

import json


def as_text(found: dict, rows: int) -> str:
    """The result as text for people, with at most `rows` observations."""
    lines = [f"{found['what']}: {found['shows']}".rstrip()]
    if found["words"]:
        lines.append(f"  {found['words']}")
    lines += [f"  printed    {place}" for place in found["printed"]]
    where = f"cell {found['cell']}" if found["cell"] else "see its claims"
    lines.append(f"  made by    {found['notebook']}, {where} (executed: {found['executed']})")
    lines += [f"             | {line}" for line in found["code"].splitlines()[:12]]
    if not found["estimates"]:
        lines.append(
            "  no estimate of trials: a count, a version, a number of a study, or "
            "computed in that cell"
        )
    for estimate in found["estimates"]:
        lines += [
            "",
            f"  {estimate['says']} = {estimate['value']:g} "
            f"[{estimate['low']:g}, {estimate['high']:g}], {estimate['n']} blocks",
            f"  from       {estimate['from']}",
        ]
        for one in estimate["lines"]:
            at = f"{one['file']}:{one['line']}" if one["line"] else one["file"]
            lines.append(f"    block {one['block']} trial {one['trial']}: {one['value']:g}   {at}")
            lines += [f"      > {one['text']}"] if one["text"] else []
        if estimate["rows"] > rows:
            lines.append(f"    ... {estimate['rows'] - rows} more (--rows)")
        for archive, sha256, released in dict.fromkeys(
            (one["archive"], one["sha256"], one["released"]) for one in estimate["lines"]
        ):
            state = {True: "as released", False: "not as released"}.get(
                released and sha256 == released, "not released"
            )
            lines.append(f"  archive    {archive}  sha256 {sha256}  ({state})")
    return "\n".join(lines)


def as_json(found: dict) -> str:
    return json.dumps(found, indent=1, default=lambda value: value.item())

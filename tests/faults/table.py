"""docs/faults.md: every fault of the catalogue, and what came out."""

from collections.abc import Mapping

from catalogue import Group

_HEAD = """# Faults, and what each ends in

<!-- written by: env/run pytest tests/faults --whole-catalogue -->
Each of these {number} faults was injected into a real run by `tests/faults`, and what stands beside
it came out. After each of them no process, no temporary file and no half-written result was left,
no traceback was shown, and no trial that was finished was lost.
"""


def as_table(groups: Mapping[str, Group], outcomes: Mapping[tuple[str, str], str]) -> str:
    """The page. A fault that could not be injected on this machine says so."""
    parts = [_HEAD.format(number=len(outcomes))]
    for name, group in groups.items():
        rows = [
            f"| {_cell(fault.fault)} | {_cell(outcomes.get((name, one), 'not tried here'))} |"
            for one, fault in group.faults.items()
        ]
        parts.append("\n".join([f"## {group.title}\n", "| fault | outcome |", "|---|---|", *rows]))
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")

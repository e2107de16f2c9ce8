"""docs/faults.md: every fault of the catalogue, and what came out."""

from collections.abc import Mapping

from catalogue import Group

_HEAD = """# Faults, and what each ends in

<!-- written by: env/run pytest tests/faults --whole-catalogue -->
Each of these {number} faults was injected into a real run by `tests/faults`. The table shows what
came out. After each of them no process, no temporary file and no half-written result was left,
no traceback was shown, and no trial that was finished was lost.
"""


def as_table(
    groups: Mapping[str, Group], outcomes: Mapping[tuple[str, str], str], before: str
) -> str:
    """The page. A group of which no fault was tried keeps the section that it has in the page
    `before`."""
    sections = {part.partition("\n")[0]: part for part in before.split("\n## ")[1:]}
    parts = [_HEAD.format(number=sum(len(group.faults) for group in groups.values()))]
    for name, group in groups.items():
        tried = {one: outcomes[name, one] for one in group.faults if (name, one) in outcomes}
        kept = sections.get(group.title)
        parts.append(_section(group, tried) if tried or not kept else f"## {kept.rstrip()}")
    return "\n".join(parts) + "\n"


def _section(group: Group, outcomes: Mapping[str, str]) -> str:
    """A fault that could not be injected on this machine says so."""
    rows = [
        f"| {_cell(fault.fault)} | {_cell(outcomes.get(one, 'not tried here'))} |"
        for one, fault in group.faults.items()
    ]
    return "\n".join([f"## {group.title}\n", "| fault | outcome |", "|---|---|", *rows])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")

"""The tables of data/README.md that are generated from the code."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_origin

from remeasure.bench.base.checks import KINDS
from remeasure.bench.base.columns import KEYS, TABLES, Column
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import scenario_names
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import Probe
from remeasure.paper.publish.dataset.derived_columns import CLAIMS, ESTIMATES, LEVELS
from remeasure.paper.publish.templates import macros


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("".join(f"| {cell}".rstrip() + " " for cell in line) + "|\n" for line in lines)


def columns() -> str:
    """The Markdown of every table that `remeasure tidy` writes, and its columns."""
    return str(_PAGE.columns(KEYS, [*TABLES.values()]))


def estimates_and_claims() -> str:
    """The Markdown of the tables that are made of all scenarios, and their columns."""
    return str(_PAGE.estimates_and_claims(ESTIMATES, (LEVELS, CLAIMS)))


def _column_table(table: Iterable[Column]) -> str:
    return markdown_table(
        ["column", "type", "unit", "meaning"],
        ([f"`{column.name}`", column.type, column.unit, column.meaning] for column in table),
    )


_PAGE = macros(__file__, "md", column_table=_column_table)


def probes_by_scenario() -> str:
    """The Markdown table of the probes of each scenario, with their tools and settings."""
    rows = []
    for scenario in (load_scenario(name, "paper") for name in scenario_names()):
        probes: dict[str, list[Probe]] = {}
        for cell in scenario.all_cells:
            for name, probe in scenario.settings(cell).probes.items():
                probes.setdefault(name.partition(".")[0], []).append(probe)
        rows += [
            [f"`{scenario.name}`", f"`{name}`", f"`{alike[0].kind}`", _chosen(alike)]
            for name, alike in probes.items()
        ]
    return markdown_table(["scenario", "probe", "tool", "settings"], rows)


def _chosen(alike: Sequence[Probe]) -> str:
    """The settings that are one word of several, and the same in all cells."""
    fields = type(alike[0]).model_fields.items()
    words = [name for name, field in fields if get_origin(field.annotation) is Literal]
    values = {name: {getattr(probe, name) for probe in alike} for name in words}
    return ", ".join(f"{name} {value}" for name, (value, *more) in values.items() if not more)


def kinds_of_checks() -> str:
    """The Markdown table of all kinds of checks."""
    rows = ([f"`{kind}`", title] for kind, title in KINDS.items())
    return markdown_table(["kind", "title in tables of proofs"], rows)


def metrics() -> str:
    """The Markdown tables of all metrics that probes declare."""
    rows = [
        [f"`{tool}`", f"`{name}`", metric.unit, metric.side, metric.meaning]
        for tool, probe in sorted(PROBES.items())
        for name, metric in probe.metrics.items()
    ]
    shown = markdown_table(["tool", "metric", "unit", "side", "meaning"], rows)
    return str(_PAGE.metrics(shown))


SECTIONS: dict[str, Callable[[], str]] = {
    "columns": columns,
    "estimates and claims": estimates_and_claims,
    "probes": probes_by_scenario,
    "kinds of checks": kinds_of_checks,
    "metrics": metrics,
}
"""name of a generated section -> function that returns its Markdown"""


def update(path: Path) -> None:
    """Replace the generated sections of the codebook. Raises UserError."""
    path.write_text(updated(path.read_text(), path, SECTIONS))


_GENERATED = re.compile(r"(<!-- generated: (.*) -->\n)(?:.*\n)*?(<!-- end -->\n)")


def updated(text: str, path: Path, sections: Mapping[str, Callable[[], str]]) -> str:
    """The text of `path` with every generated section replaced by the result of sections[NAME]().
    Raises UserError unless the file has each of `sections` exactly once."""
    found = [name for _, name, _ in _GENERATED.findall(text)]
    if sorted(found) != sorted(sections):
        raise UserError(
            f"{path}: found generated sections {sorted(found)}, expected each once of "
            f"{sorted(sections)}; mark them by <!-- generated: NAME --> and <!-- end -->"
        )
    return _GENERATED.sub(lambda m: m[1] + "\n" + sections[m[2]]() + "\n" + m[3], text)

"""What `remeasure aa` prints: the answer in a sentence or two, then a row for each metric."""

import math
from typing import Any

import pandas as pd

from remeasure.analysis.cost import per_megabyte, per_packet
from remeasure.analysis.coverage.resolution import GOALS, resolution
from remeasure.analysis.limits.run_loads import arrived_packets
from remeasure.analysis.summaries import Tables, trial_summaries
from remeasure.analysis.texts import interval_text, number_text
from remeasure.campaign.scenario import Scenario
from remeasure.errors import UserError


def resolution_of(
    tables: Tables, scenario: Scenario, factor: str, names: tuple[str, str]
) -> pd.DataFrame:
    """`analysis.models.resolution` of the tables of `scenario`, processor time per megabyte and per
    packet among the metrics.

    Raises UserError, with the reasons of rejected trials, if too few trials are left to compare.
    """
    observations, counters = tables["observations"], tables["counters"]
    factors, hosts = tables.factors, sorted(counters["host"].unique())
    summaries = [
        trial_summaries(observations, factors),
        per_megabyte(counters, observations, factors, "cpu_per_megabyte", hosts),
        per_packet(counters, arrived_packets(tables, scenario), factors, hosts),
    ]
    # A table without rows has no numbers either, and would make words of those of the others.
    some = pd.concat([table for table in summaries if len(table)] or summaries[:1])
    found = resolution(some, factor, names, tables.within)
    if found.empty:
        reasons = dict.fromkeys(reason for reason in tables["trials"]["reasons"] if reason)
        raise UserError(
            f"nothing to compare: fewer than two rounds have trials of both names that were not "
            f"rejected; found {'; '.join(reasons) or 'no observation'}"
        )
    return found


def report(title: str, found: pd.DataFrame, trials: pd.DataFrame) -> str:
    """The text: `title` says what was measured, `found` comes from `resolution_of`, `trials` the
    table of trials."""
    constant = found[found["low"] == found["high"]]
    varied = found.drop(constant.index).sort_values("half", kind="stable")
    verdicts = trials["verdict"].value_counts()
    lines = [f"{title}: {', '.join(f'{n} trials {verdict}' for verdict, n in verdicts.items())}."]
    told = varied.dropna(subset="half")
    if len(told):
        best, worst = (
            f"{_percent(row.half)} in {_name(row)} {row.metric}"
            for row in (next(told.itertuples()), list(told.itertuples())[-1])
        )
        false = int(varied["false"].sum())
        lines.append(
            f"The bench can see a difference of {best} (the best of {len(varied)} metrics that "
            f"varied) and of {worst} (the worst); such a difference is found about every other "
            f"time. {false} of {len(varied)} intervals leave out that a and b are equal; "
            f"{len(varied) / 20:.1f} are expected by chance."
        )
    lines += ["", _table(varied)]
    if len(constant):
        names = ", ".join(f"{_name(row)} {row.metric}" for row in constant.itertuples())
        lines += ["", f"The same in every trial: {names}."]
    return "\n".join(lines)


def _table(found: pd.DataFrame) -> str:
    """Plain text in columns, in the order of `found`."""
    head = ["probe", "metric", "b over a (or b - a), 95 %", "half", "rounds", "variation"]
    rows = [
        [
            _name(row),
            row.metric,
            interval_text(row.value, row.low, row.high)
            + (f" {row.unit or '(b - a)'}" if row.kind == "difference" else ""),
            _percent(row.half),
            str(row.n),
            _percent(row.variation),
            *(_rounds(getattr(row, f"needed_{goal}")) for goal in GOALS),
        ]
        for row in found.itertuples()
    ]
    table = [[*head, *(f"for {goal} %" for goal in GOALS)], *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place < 3 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    )


def _name(row: Any) -> str:
    return f"{row.probe} {row.levels}".strip()


def _percent(value: float) -> str:
    return f"{number_text(value, 2)} %" if math.isfinite(value) else "n/a"


def _rounds(needed: float) -> str:
    return f"{needed:.0f}" if math.isfinite(needed) else "> 10000"

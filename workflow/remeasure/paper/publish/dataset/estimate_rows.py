"""Every cell's mean, and every comparison that a notebook made, as one table."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from remeasure.bench.base.names import Name
from remeasure.paper.analysis.comparisons import cell_estimates
from remeasure.paper.analysis.summaries import Tables, read_tables, trial_summaries
from remeasure.paper.notebook.trace.origins_record import FILE

CELL = "mean of blocks' trial means (geometric if all values are above 0), Student's interval"
_RATIOS = {"ratio", "lead", "trail", "excess", "straightness"}
_DIFFERENCES = {"diff", "difference"}
"""first words of what an estimate says of itself"""
COMPARISON = "within blocks, Student's interval (see `claims/questions.py`)"


def estimates_of(tidy: Path, handed: Path) -> pd.DataFrame:
    """The rows of one scenario (dataset.columns.ESTIMATES), and a column for each factor.

    Campaigns are not pooled: they differ in machine, kernel or library. Which of several a notebook
    compared is not recorded, so comparisons are given of scenarios with one campaign, and those in
    virtual time where one campaign is. `tidy`: folder of its tables; `handed`: folder of what its
    notebook handed over.
    """
    tables = read_tables(tidy)
    observations = tables["observations"]
    virtual = read_tables(tidy, virtual=True)["trials"]["campaign"].unique()
    units = dict(observations[["metric", "unit"]].drop_duplicates().to_numpy())
    campaigns = sorted(observations["campaign"].unique())
    # Where there is no campaign in real time, those in virtual time are read in its place.
    clocks = dict(observations[["campaign", "clock"]].drop_duplicates().to_numpy())
    rows = [
        {"campaign": campaign, "clock": clocks[campaign]} | row
        for campaign in campaigns
        for row in _cells(tables.of_campaigns([campaign]))
    ]
    for measured, is_virtual in ((campaigns, False), (virtual, True)):
        if len(measured) == 1:
            made = _comparisons(handed, units, is_virtual)
            clock = "virtual" if is_virtual else clocks[measured[0]]
            rows += [{"campaign": measured[0], "clock": clock} | row for row in made]
    scenario = Name.of_notebook(handed.name).scenario
    return pd.DataFrame(
        [{"scenario": scenario} | row | _shared(json.loads(row["cells"])) for row in rows]
    )


def _shared(cells: list[dict[str, str]]) -> dict[str, str]:
    """Factor -> level, of what all cells have in common."""
    first, *others = cells or [{}]
    return {f: level for f, level in first.items() if all(cell.get(f) == level for cell in others)}


def _cells(tables: Tables) -> Iterable[dict[str, Any]]:
    factors = tables.factors
    summaries = trial_summaries(tables["observations"], factors)
    cells = cell_estimates(summaries, factors)
    for row in cells.to_dict("records"):
        cell = {factor: row[factor] for factor in factors if row[factor]}
        yield {
            "kind": "cell",
            "quantity": f"mean {row['metric']}",
            "cells": json.dumps([cell]),
            "made_by": CELL,
            **{key: row[key] for key in ("probe", "metric", "unit", "value", "low", "high", "n")},
        }


def _comparisons(handed: Path, units: Mapping[str, str], virtual: bool) -> Iterable[dict[str, Any]]:
    """Ratios, and differences in the metric's own unit, in virtual time or in real time. `units`:
    metric -> unit."""
    for origin in json.loads((handed / FILE).read_text())["origins"]:
        if bool(origin.get("virtual")) != virtual:
            continue
        kind = origin["says"].split()[0]
        if "cells" not in origin or origin.get("scenario"):
            continue  # computed from others, or of another scenario
        if kind in _RATIOS or (kind in _DIFFERENCES and origin["metric"] in units):
            cells = [dict(cell) for cell in origin["cells"]]
            probes = {cell.pop("probe", "") for cell in cells}
            yield {
                "kind": "comparison",
                "quantity": origin["says"],
                "probe": probes.pop() if len(probes) == 1 else "",
                "metric": origin["metric"],
                "unit": units[origin["metric"]] if kind in _DIFFERENCES else "",
                "cells": json.dumps(cells),
                "made_by": COMPARISON,
                **{key: origin[key] for key in ("value", "low", "high", "n")},
            }

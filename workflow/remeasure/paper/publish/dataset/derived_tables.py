"""The meaning of every level of every factor, as one table, and the numbers of levels."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from remeasure.bench.base.columns import Column
from remeasure.bench.base.names import Name
from remeasure.bench.campaign.folder import read_frozen
from remeasure.bench.campaign.quantities import QuantityLevel, levels_of
from remeasure.paper.analysis.estimates import cell_estimates
from remeasure.paper.analysis.summaries import Tables, read_tables, trial_summaries
from remeasure.paper.notebook.trace.origins_record import FILE
from remeasure.paper.tidy.parquet import FACTOR, read_parquet

KEYS = ["scenario", "factor", "level", "sets", "quantity", "value", "unit", "column"]


class NumbersOf(NamedTuple):
    factor: str
    column: Column
    values: Mapping[str, float]
    """level -> its number [unit of the column]"""


def numbers_beside(tidy: Path) -> list[NumbersOf]:
    """The columns of numbers in a scenario's observations. `tidy`: folder of its tables."""
    table = read_parquet(tidy / "observations.parquet")
    found = []
    for field in table.schema:
        known = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        if FACTOR not in known:
            continue
        pairs = table.select([known[FACTOR], field.name]).to_pandas().drop_duplicates().dropna()
        column = Column(field.name, "number", known["unit"], known["meaning"])
        values = dict(zip(pairs.iloc[:, 0].astype(str), pairs.iloc[:, 1], strict=True))
        found.append(NumbersOf(known[FACTOR], column, values))
    return found


def levels_table(scenario: str, tidy: Path) -> pd.DataFrame:
    """The rows of one scenario (derived_columns.LEVELS), of all campaigns in its tables. `tidy`:
    folder of these tables."""
    trials = read_parquet(tidy / "trials.parquet")
    campaigns = trials.column("campaign").unique().to_pylist()
    columns = {(one.factor, one.column.unit): one.column.name for one in numbers_beside(tidy)}
    rows = []
    for campaign in campaigns:
        frozen = read_frozen(campaign)
        for factor, levels in levels_of(frozen.scenario(scenario, tidy)).items() if frozen else ():
            for level, *told, unit in _numbers(levels):
                column, says = columns.get((factor, unit), ""), levels[level].says
                rows.append((scenario, factor, level, says, *told, unit, column, campaign))
    table = pd.DataFrame(rows, columns=[*KEYS, "campaigns"])
    groups = table.groupby(KEYS, sort=False, dropna=False)
    return groups["campaigns"].agg(", ".join).reset_index()


def _numbers(levels: Mapping[str, QuantityLevel]) -> Iterable[tuple[str, str, float, str]]:
    """Each level with meaning, value and unit of each of its numbers in which levels differ; blank,
    if there is none."""
    values = [{number.name: number.value for number in one.numbers} for one in levels.values()]
    for level, (_, numbers) in levels.items():
        told = [one for one in numbers if len({of.get(one.name) for of in values}) > 1]
        yield from ((level, one.meaning, one.value, one.unit) for one in told)
        if not told:
            yield level, "", float("nan"), ""


CELL = "mean of blocks' trial means (geometric if all values are above 0), Student's interval"
_RATIOS = {"ratio", "lead", "trail", "excess", "straightness"}
_DIFFERENCES = {"diff", "difference"}
"""first words in the description of a difference"""
COMPARISON = "within blocks, Student's interval (see `claims/questions.py`)"


def estimates_of(tidy: Path, handed: Path) -> pd.DataFrame:
    """The rows of one scenario (derived_columns.ESTIMATES), and a column for each factor. Campaigns
    are not pooled: they differ in machine, kernel or library. We do not record which of several
    campaigns a notebook compared, so only comparisons of cells that one campaign measured are
    here, in real time and in virtual time. `tidy`: folder of its tables; `handed`: folder of its
    notebook's results."""
    tables = read_tables(tidy)
    observations = tables["observations"]
    virtual = read_tables(tidy, virtual=True)["observations"]
    units = dict(observations[["metric", "unit"]].drop_duplicates().to_numpy())
    campaigns = sorted(observations["campaign"].unique())
    # Without a campaign in real time, campaigns in virtual time are read in its place.
    clocks = dict(observations[["campaign", "clock"]].drop_duplicates().to_numpy())
    rows = [
        {"campaign": campaign, "clock": clocks[campaign]} | row
        for campaign in campaigns
        for row in _cells(tables.of_campaigns([campaign]))
    ]
    for of_clock, is_virtual in ((observations, False), (virtual, True)):
        measured = of_clock[["campaign", *tables.factors]].drop_duplicates().astype(str)
        for row in _comparisons(handed, units, is_virtual):
            if campaign := _only_campaign(measured, json.loads(row["cells"])):
                clock = "virtual" if is_virtual else clocks[campaign]
                rows.append({"campaign": campaign, "clock": clock} | row)
    scenario = Name.of_notebook(handed.name).scenario
    return pd.DataFrame(
        [{"scenario": scenario} | row | _shared(json.loads(row["cells"])) for row in rows]
    )


def _only_campaign(measured: pd.DataFrame, cells: list[dict[str, str]]) -> str:
    """The campaign that measured all cells, if it is the only one with any of them; else empty.
    `measured`: campaign and levels of each cell."""
    found: list[set[str]] = []
    for cell in cells:
        levels = pd.Series(cell, dtype=object)
        found.append({*measured["campaign"][(measured[levels.index] == levels).all(axis=1)]})
    alike = bool(found) and all(found) and len(set.union(*found)) == 1
    return found[0].pop() if alike else ""


def _shared(cells: list[dict[str, str]]) -> dict[str, str]:
    """Factor -> level, if all cells have the same."""
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

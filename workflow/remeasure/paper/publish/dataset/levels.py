"""What every level of every factor means, as one table, and the numbers beside levels."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from remeasure.bench.base.columns import Column
from remeasure.bench.campaign.folder import read_frozen
from remeasure.bench.campaign.quantities import Level, Number, levels_of
from remeasure.paper.tidy.numeric import FACTOR
from remeasure.paper.tidy.parquet import read_parquet

KEYS = ["scenario", "factor", "level", "sets", "quantity", "value", "unit", "column"]


class NumbersOf(NamedTuple):
    """A column of numbers in the tables of a scenario."""

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
    """The rows of one scenario (dataset.columns.LEVELS), of all campaigns in its tables. `tidy`:
    folder of these tables."""
    trials = read_parquet(tidy / "trials.parquet")
    campaigns = trials.column("campaign").unique().to_pylist()
    columns = {(one.factor, one.column.unit): one.column.name for one in numbers_beside(tidy)}
    rows: list[dict[str, Any]] = []
    for campaign in campaigns:
        frozen = read_frozen(campaign)
        for factor, levels in levels_of(frozen.scenario(scenario, tidy)).items() if frozen else ():
            for level, number in _numbers(levels):
                unit = number.unit if number else ""
                rows.append(
                    {
                        "scenario": scenario,
                        "factor": factor,
                        "level": level,
                        "sets": levels[level].says,
                        "quantity": number.meaning if number else "",
                        "value": number.value if number else float("nan"),
                        "unit": unit,
                        "column": columns.get((factor, unit), ""),
                        "campaigns": campaign,
                    }
                )
    table = pd.DataFrame(rows, columns=[*KEYS, "campaigns"])
    groups = table.groupby(KEYS, sort=False, dropna=False)
    return groups["campaigns"].agg(", ".join).reset_index()


def _numbers(levels: Mapping[str, Level]) -> Iterable[tuple[str, Number | None]]:
    """Each level with each of its numbers in which levels differ; with None, if there is none."""
    of_name: dict[str, set[float | None]] = {}
    for name in (number.name for level in levels.values() for number in level.numbers):
        of_name[name] = {
            next((n.value for n in level.numbers if n.name == name), None)
            for level in levels.values()
        }
    for level, (_, numbers) in levels.items():
        told = [number for number in numbers if len(of_name[number.name]) > 1]
        yield from ((level, number) for number in told)
        if not told:
            yield level, None

"""The columns of numbers beside factors that are quantities (campaign.quantities)."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from remeasure.bench.base.columns import Column
from remeasure.bench.campaign.quantities import Quantity
from remeasure.paper.tidy.described import described_field

FACTOR = "factor"
"""key in the metadata of such a column: the factor that it is beside"""


class Numeric(NamedTuple):
    """A column of numbers."""

    factor: str
    """the factor that it is beside"""
    column: Column


def numeric_columns(
    campaigns: Iterable[Mapping[str, Quantity]], taken: Collection[str]
) -> list[Numeric]:
    """The columns for the factors that are quantities in some of the campaigns. `campaigns`: factor
    -> quantity, of each; `taken`: names that other columns have."""
    found: dict[tuple[str, str], Numeric] = {}
    for quantities in campaigns:
        for factor, quantity in quantities.items():
            names = {*taken, *(numeric.column.name for numeric in found.values())}
            name = _name(factor, quantity.unit)
            column = Column(
                f"{factor}_value" if name in names else name,
                "number",
                quantity.unit,
                f"`{factor}` as a number: {quantity.meaning}",
            )
            found.setdefault((factor, quantity.unit), Numeric(factor, column))
    return list(found.values())


def numeric_field(numeric: Numeric) -> pa.Field:
    """The column in an Arrow schema."""
    field = described_field(numeric.column)
    return field.with_metadata({**field.metadata, FACTOR: numeric.factor})


def _name(factor: str, unit: str) -> str:
    """'rtt_ms', 'rate_mbit_s'; of a factor whose name ends in its unit the name alone."""
    ending = "_" + re.sub(r"\W+", "_", unit.lower().replace("%", "percent")).strip("_")
    return factor if factor.endswith(ending) else factor + ending


def numbers(
    levels: pa.ChunkedArray, numeric: Numeric, quantities: Mapping[str, Quantity]
) -> pa.Array:
    """The column for rows of one campaign, whose `levels` of the factor are given as text; null
    where the factor is no quantity of this unit, or does not apply."""
    quantity = quantities.get(numeric.factor)
    values = quantity.values if quantity and quantity.unit == numeric.column.unit else {}
    places = pc.index_in(levels.combine_chunks(), value_set=pa.array([*values], pa.string()))
    return pa.array([*values.values()], pa.float64()).take(places)

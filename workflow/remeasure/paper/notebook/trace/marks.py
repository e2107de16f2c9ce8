"""The origins of the marks of a chart, in column `origin` of its tables (analysis.lineage.Origin).
The published chart, and the notebook's, is without it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.analysis.lineage import Origin

COLUMN = "origin"
_PLAIN, _KEYED = "without origins", "with keys of origins"


def use_plain_charts() -> None:
    """Let charts be drawn without their column of origins."""
    alt.data_transformers.register(_PLAIN, _without)
    alt.data_transformers.enable(_PLAIN)


def chart_and_marks(
    chart: alt.TopLevelMixin,
) -> tuple[dict[str, Any], list[tuple[dict[str, Any], Origin]]]:
    """The Vega-Lite specification of a chart without origins; and each row of its data that shows
    an estimate, with the origin of the estimate."""
    origins: list[Origin] = []
    with _keys_in_place_of(origins):
        # Every part of a chart was validated when it was made; a second time would take a second.
        specification = chart.to_dict(validate=False)
    marks = []
    for rows in specification.get("datasets", {}).values():
        for row in rows:
            key = row.pop(COLUMN, None)
            if key is not None:
                marks.append((row, origins[int(key)]))
    return specification, marks


def drawn_rows(specification: dict[str, Any]) -> list[dict[str, Any]]:
    """Every row of data in a chart, each once: estimates and single trials. Columns whose names
    begin with an underscore only place marks, and are left out."""
    rows = (
        {column: value for column, value in row.items() if not column.startswith("_")}
        for table in specification.get("datasets", {}).values()
        for row in table
    )
    return list({json.dumps(row, sort_keys=True): row for row in rows if row}.values())


@contextmanager
def _keys_in_place_of(origins: list[Origin]) -> Iterator[None]:
    """Replace each origin in charts by its place in `origins`, a number as JSON needs."""
    keys: dict[int, int] = {}

    def key(origin: Any) -> int | None:
        if not isinstance(origin, Origin):
            return None
        if id(origin) not in keys:
            keys[id(origin)] = len(origins)
            origins.append(origin)
        return keys[id(origin)]

    def keyed(data: Any, **options: Any) -> Any:
        if isinstance(data, pd.DataFrame) and COLUMN in data:
            data = data.assign(**{COLUMN: [key(one) for one in data[COLUMN]]})
        return alt.default_data_transformer(data, **options)

    alt.data_transformers.register(_KEYED, keyed)
    with alt.data_transformers.enable(_KEYED):
        yield


def _without(data: Any, **options: Any) -> Any:
    if isinstance(data, pd.DataFrame) and COLUMN in data:
        data = data.drop(columns=COLUMN)
    return alt.default_data_transformer(data, **options)

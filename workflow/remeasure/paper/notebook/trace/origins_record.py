"""The record of the estimates behind results of a notebook, for `explain`."""

import inspect
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
from IPython import get_ipython

from remeasure.bench.base.names import Name
from remeasure.paper.analysis.entry import Entry, Ledger, Part
from remeasure.paper.analysis.lineage import Origin, cells_of, origins_of
from remeasure.paper.analysis.verdicts.ledger import with_tests
from remeasure.paper.digits import as_json, rounded

FILE = "lineage.json"


class Trace:
    """Records the estimates behind each number, table cell and mark of a notebook. lineage.json:
    `origins`, a list of estimates (analysis.lineage.Origin; `made_from` has places in this list);
    `numbers`, `tables` and `figures`, each name -> {cell: execution count of the notebook's cell,
    line: the line of the cell that handed it over, ...}, in which `of` has places in `origins`."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        """each origin as text -> its place: texts are the same on every machine, values are not"""
        self._origins: list[dict[str, Any]] = []
        self._made: dict[str, dict[str, Any]] = {"numbers": {}, "tables": {}, "figures": {}}

    def number(self, name: str, origins: Iterable[Origin]) -> None:
        self._keep("numbers", name, of=self.places(origins))

    def table(self, name: str, table: pd.DataFrame, sources: dict[str, str]) -> None:
        """Record a table. Rows and columns are counted from 1, as a reader of the paper does.
        `sources`: column -> source of its numbers, in words."""
        cells = [
            {"row": i, "column": j, "text": str(text), "of": self.places(origins_of(text))}
            for i, row in enumerate(table.itertuples(index=False), 1)
            for j, text in enumerate(row, 1)
        ]
        self._keep(
            "tables",
            name,
            columns=list(map(str, table.columns)),
            sources=sources,
            rows=table.astype(str).to_numpy().tolist(),
            cells=[cell for cell in cells if cell["of"]],
        )

    def figure(self, name: str, marks: Iterable[tuple[dict[str, Any], Origin]]) -> None:
        """Record the marks of a figure, each a row of its data with the origin of its estimate."""
        found = [{"mark": rounded(row), "of": self.places([origin])} for row, origin in marks]
        self._keep("figures", name, marks=found)

    def places(self, origins: Iterable[Origin]) -> list[int]:
        """The places of origins in lineage.json."""
        found = []
        for origin in origins:
            entry = origin.as_dict()
            if origin.made_from:
                entry["made_from"] = self.places(origin.made_from)
            place = self._places.setdefault(as_json(entry), len(self._origins))
            if place == len(self._origins):
                self._origins.append(entry)
            found.append(place)
        return found

    def save(self, folder: Path) -> None:
        document = {"origins": self._origins, **self._made}
        (folder / FILE).write_text(as_json(document, indent=1))

    def _keep(self, kind: str, name: str, **fields: object) -> None:
        shell = get_ipython()
        # `In` has the sources of all cells so far, from 1; the shell's own count may be ahead.
        cell = len(shell.user_ns["In"]) - 1 if shell else None
        line = _line_of_cell(shell) if shell else None
        self._made[kind][name] = {"cell": cell, "line": line, **fields}


def _line_of_cell(shell: Any) -> int | None:
    """The line, from 1, that the cell is executing. A function of an earlier cell may hand over:
    the line is in the outermost frame of the cell itself."""
    frame, line = inspect.currentframe(), None
    while frame:
        if frame.f_globals is shell.user_ns and frame.f_code.co_name == "<module>":
            line = frame.f_lineno
        frame = frame.f_back
    return line


def read_origins(folder: Path) -> list[Origin]:
    """The origins in lineage.json in a folder of results, each with its scenario."""
    found: list[Origin] = []
    for entry in json.loads((folder / FILE).read_text())["origins"]:
        fields = entry | {
            "scenario": entry.get("scenario") or Name.of_notebook(folder.name).scenario,
            "cells": cells_of(entry.get("cells", [])),
            "blocks": tuple(entry.get("blocks", [])),
            "made_from": tuple(found[place] for place in entry.get("made_from", [])),
        }
        found.append(Origin(**fields))
    return found


def with_origins(ledger: Ledger, folders: Iterable[Path]) -> Ledger:
    """The ledger with the origin of each test in place of its number in one of the `folders`."""
    known: dict[str, list[Origin]] = {}
    for folder in folders:
        claims = folder / "claims.json"
        if claims.exists():
            origins = read_origins(folder)
            known |= dict.fromkeys((one["id"] for one in json.loads(claims.read_text())), origins)

    def resolved(entry: Entry) -> Entry:
        def origin(test: Part) -> Part:
            place: Any = test["origin"]
            return {**test, "origin": None if place is None else known[entry["id"]][place]}

        return with_tests(entry, origin)

    return [resolved(entry) for entry in ledger]


COLUMN = "origin"
PLAIN = "without origins"
"""name for altair.data_transformers: charts without their column of origins"""


def _transformed(data: Any, keys: dict[int, Origin] | None = None, **options: Any) -> Any:
    """The data of a chart without its origins; or, with `keys`, with the key of each there."""
    if isinstance(data, pd.DataFrame) and COLUMN in data:
        origins = [one if isinstance(one, Origin) else None for one in data[COLUMN]]
        if keys is None:
            data = data.drop(columns=COLUMN)
        else:
            keys.update((id(one), one) for one in origins if one is not None)
            data = data.assign(**{COLUMN: [None if one is None else id(one) for one in origins]})
    return alt.default_data_transformer(data, **options)


alt.data_transformers.register(PLAIN, _transformed)


def chart_and_marks(
    chart: alt.TopLevelMixin,
) -> tuple[dict[str, Any], list[tuple[dict[str, Any], Origin]]]:
    """The Vega-Lite specification of a chart without origins; and each row of its data that shows
    an estimate, with the origin of the estimate."""
    keys: dict[int, Origin] = {}
    with alt.data_transformers.enable(PLAIN, keys=keys):
        # Every part of a chart was validated when it was made; a second time would take a second.
        specification = chart.to_dict(validate=False)
    marks = []
    for rows in specification.get("datasets", {}).values():
        for row in rows:
            key = row.pop(COLUMN, None)
            if key is not None:
                marks.append((row, keys[int(key)]))
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

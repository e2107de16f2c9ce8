"""The record of which estimates stand behind what a notebook hands over; `explain` reads it."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from IPython import get_ipython

from remeasure.analysis.lineage import Origin, origins_of, origins_of_text
from remeasure.digits import as_json, rounded

FILE = "lineage.json"


class Trace:
    """Records the estimates behind each number, table cell and mark of a notebook.

    lineage.json: `origins`, a list of estimates (remeasure.analysis.lineage.Origin); `numbers`,
    `tables` and `figures`, each name -> {cell: execution count of the notebook's cell, ...}, in
    which `of` has places in `origins`.
    """

    def __init__(self):
        self._origins: dict[Origin, int] = {}
        self._made: dict[str, dict[str, dict]] = {"numbers": {}, "tables": {}, "figures": {}}

    def number(self, name: str, value: float) -> None:
        self._keep("numbers", name, of=self._places(origins_of(value)))

    def words(self, name: str, text: str) -> None:
        self._keep("numbers", name, of=self._places(origins_of_text(text)))

    def table(self, name: str, table: pd.DataFrame) -> None:
        """Record a table. Rows and columns are counted from 1, as a reader of the paper does."""
        rows = table.astype(str).to_numpy().tolist()
        cells = [
            {"row": i, "column": j, "text": text, "of": self._places(origins_of_text(text))}
            for i, row in enumerate(rows, 1)
            for j, text in enumerate(row, 1)
        ]
        self._keep(
            "tables",
            name,
            columns=list(map(str, table.columns)),
            rows=rows,
            cells=[cell for cell in cells if cell["of"]],
        )

    def figure(self, name: str, specification: dict) -> None:
        """Record the marks of a figure: the rows of the data of a Vega-Lite chart that show an
        estimate. Numbers in it are `rounded`."""
        marks = []
        for rows in specification.get("datasets", {}).values():
            for row in rows:
                found = [
                    origin
                    for value in row.values()
                    if isinstance(value, float)
                    for origin in origins_of(value)
                ]
                # An end of an interval may also belong to another estimate; the value of a mark is
                # its own.
                found = [o for o in found if rounded(o.estimate.value) in row.values()] or found
                if found:
                    marks.append({"mark": row, "of": self._places(dict.fromkeys(found))})
        self._keep("figures", name, marks=marks)

    def save(self, folder: Path) -> None:
        document = {"origins": [origin.as_dict() for origin in self._origins], **self._made}
        (folder / FILE).write_text(as_json(document, indent=1))

    def _keep(self, kind: str, name: str, **fields: object) -> None:
        shell = get_ipython()
        # `In` has the sources of all cells so far, from 1; the shell's own count may be ahead.
        cell = len(shell.user_ns["In"]) - 1 if shell else None
        self._made[kind][name] = {"cell": cell, **fields}

    def _places(self, origins: Iterable[Origin]) -> list[int]:
        return [self._origins.setdefault(origin, len(self._origins)) for origin in origins]

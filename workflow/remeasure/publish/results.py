"""What a notebook hands to the paper: figures, numbers and tables, each in a file."""

import json
import math
import re
from pathlib import Path

import altair as alt
import pandas as pd
import vl_convert
from IPython.display import SVG

from remeasure.errors import UserError
from remeasure.publish.latex import table_rows
from remeasure.publish.pdf import pdf_of
from remeasure.publish.trace.record import Trace


class Results:
    """Collects the results of one notebook under `folder`.

    folder/figures/<prefix>-<name>.pdf (LaTeX), .svg (web), .json (Vega-Lite, see publish.pages);
    folder/tables/<prefix>-<name>.tex;
    folder/claims.json: the statements of a study, with verdicts;
    folder/numbers.json and folder/lineage.json (publish.trace), written by `close`.
    """

    def __init__(self, folder: str | Path, prefix: str):
        self.folder = Path(folder)
        self.prefix = prefix
        """of macros and files, so that those of two notebooks cannot meet"""
        self._numbers: dict[str, dict] = {}
        self._trace = Trace()
        for part in ("figures", "tables"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)

    def figure(self, name: str, chart: alt.TopLevelMixin) -> SVG:
        """Save the chart in every form, and return it as it is to be shown."""
        path = self.folder / "figures" / f"{self.prefix}-{name}"
        specification = chart.to_dict()
        path.with_suffix(".json").write_text(json.dumps(specification) + "\n")
        svg = vl_convert.vegalite_to_svg(specification)
        path.with_suffix(".svg").write_text(svg)
        path.with_suffix(".pdf").write_bytes(pdf_of(svg))
        self._trace.figure(path.name, specification)
        return SVG(svg)

    def number(
        self, name: str, value: float, digits: int = 2, unit: str = "", source: str = ""
    ) -> str:
        """Keep a number for the text as the macro \\<prefix><name>. Returns it as it will read.

        `digits` are behind the decimal point; `unit` is a LaTeX unit; `source` says in words
        where the value comes from.
        """
        self._check_name(name)
        if not math.isfinite(value):
            text = "n/a"
        else:
            text = f"{value:.{digits}f}"
            text = text.lstrip("-") if float(text) == 0 else text
        self._numbers[self.prefix + name] = {
            "text": text,
            "value": float(value),
            "unit": unit,
            "source": source,
        }
        self._trace.number(self.prefix + name, float(value))
        return f"{text} {unit}".strip()

    def words(self, name: str, text: str, source: str = "") -> str:
        """Keep a text (a version, a date) as a macro."""
        self._check_name(name)
        self._numbers[self.prefix + name] = {"text": text, "source": source, "words": True}
        self._trace.words(self.prefix + name, text)
        return text

    def table(self, name: str, table: pd.DataFrame) -> pd.DataFrame:
        """Save the rows of a table of strings for LaTeX, and return it to be shown."""
        (self.folder / "tables" / f"{self.prefix}-{name}.tex").write_text(table_rows(table))
        self._trace.table(f"{self.prefix}-{name}", table)
        return table

    def claims(self, rows: list[dict]) -> None:
        """Hand a study's statements over to the ledger (analysis.ledger)."""
        (self.folder / "claims.json").write_text(json.dumps(rows, indent=1) + "\n")

    def close(self) -> None:
        path = self.folder / "numbers.json"
        path.write_text(json.dumps(self._numbers, indent=1, sort_keys=True) + "\n")
        self._trace.save(self.folder)

    def _check_name(self, name: str) -> None:
        if not re.fullmatch(r"[A-Za-z]+", name):
            raise UserError(f"number {name!r}: a LaTeX macro's name has letters only")
        if self.prefix + name in self._numbers:
            raise UserError(f"number {name!r}: set twice")

"""What a notebook hands to the paper: figures, numbers and tables, each in a file."""

import math
import re
from pathlib import Path

import altair as alt
import pandas as pd
import vl_convert
from IPython.display import HTML, Markdown, display

from remeasure.analysis.lineage import origins_of, origins_of_text
from remeasure.digits import as_json, rounded_chart
from remeasure.errors import UserError
from remeasure.names import Name
from remeasure.paths import ROOT
from remeasure.publish.answers import answer_path, read_answer
from remeasure.publish.figure_html import figure_html
from remeasure.publish.latex import table_rows
from remeasure.publish.pdf import pdf_of
from remeasure.publish.trace.record import Trace


class Results:
    """Collects the results of one notebook under `folder`, which has the notebook's name.

    folder/figures/<prefix>-<name>.svg (web) and .json (Vega-Lite; its description is the caption);
    folder/figures/<prefix>-<name>.pdf and folder/tables/<prefix>-<name>.tex: what the paper must
    include (see publish.latex); folder/tables/<scenario>-campaign.tex: the row of the paper's table
    of campaigns, and virtual-<scenario>-campaign.tex that of campaigns in virtual time;
    folder/claims.json: the statements of studies, with verdicts; folder/runs.csv: what limited the
    rate of each run (see analysis.models.rate_limits.limits); folder/numbers.json and
    folder/lineage.json (publish.trace), written by `close`.
    """

    def __init__(self, folder: str | Path):
        self.folder = ROOT / folder
        self.name = Name.of_notebook(self.folder.name)
        self.prefix = self.name.prefix
        """first part of the names of macros and files, so that those of two notebooks differ"""
        self._numbers: dict[str, dict] = {}
        self._trace = Trace()
        self._figures: dict[str, tuple[str, str]] = {}
        """name -> its SVG and its caption"""
        for part in ("figures", "tables"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)

    def figure(self, name: str, says: str, chart: alt.TopLevelMixin, *, paper: bool = True) -> HTML:
        """Save a chart, and return it in the form in which the notebook shows it.

        `says` is its caption on every page and in the paper, and what those hear who do not see the
        chart. `paper`: True if the paper includes it, False if only web and notebook do.
        """
        path = self.folder / "figures" / f"{self.prefix}-{name}"
        # Every part of a chart was validated when it was made; once more would take a second.
        specification = rounded_chart(chart.to_dict(validate=False) | {"description": says})
        path.with_suffix(".json").write_text(as_json(specification))
        svg = vl_convert.vegalite_to_svg(specification)
        path.with_suffix(".svg").write_text(svg)
        if paper:
            path.with_suffix(".pdf").write_bytes(pdf_of(svg))
        self._trace.figure(path.name, specification)
        self._figures[name] = (svg, says)
        return HTML(figure_html(path.name, path.name, svg, says))

    def table(self, name: str, table: pd.DataFrame, *, paper: bool = True) -> pd.DataFrame:
        """Save the rows of a table of strings, and return the table to be shown. `paper` as in
        `figure`."""
        if paper:
            path = self.folder / "tables" / f"{self.prefix}-{name}.tex"
            path.write_text(table_rows(table))
        self._trace.table(f"{self.prefix}-{name}", table)
        return table

    def campaign(self, row: pd.DataFrame, kind: str = "") -> pd.DataFrame:
        """Save the row of the paper's table of campaigns, and return it to be shown. `kind` tells
        it from another one of this notebook."""
        path = self.folder / "tables" / f"{kind}{self.name.scenario}-campaign.tex"
        path.write_text(table_rows(row))
        return row

    def number(
        self, name: str, value: float, digits: int = 2, unit: str = "", source: str = ""
    ) -> str:
        """Keep a number for the text as the macro \\<prefix><name>. Returns the text of the number.

        `digits` is the number of decimals; `unit` is a LaTeX unit; `source` says in words where the
        value comes from, and may be left out for an estimate, whose origin is remembered.
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
            "source": source or _in_words(origins_of(value)),
        }
        self._trace.number(self.prefix + name, float(value))
        return f"{text} {unit}".strip()

    def words(self, name: str, text: str, source: str = "") -> str:
        """Keep a text (a version, a date, an interval) as a macro; `source` as of `number`."""
        self._check_name(name)
        source = source or _in_words(origins_of_text(text))
        self._numbers[self.prefix + name] = {"text": text, "source": source, "words": True}
        self._trace.words(self.prefix + name, text)
        return text

    def claims(self, rows: list[dict]) -> None:
        """Hand over statements of studies to the ledger (analysis.ledger)."""
        (self.folder / "claims.json").write_text(as_json(rows, indent=1))

    def runs(self, table: pd.DataFrame) -> None:
        """Hand over what limited the rate of each run."""
        path = self.folder / "runs.csv"
        table.to_csv(path, index=False, float_format="%.4g", lineterminator="\n")

    def answer(self) -> None:
        """Hand everything over, and show the answer of answers/<notebook>.md, if there is one.
        Raises UserError if it names what the notebook does not have."""
        self.close()
        path = answer_path(self.folder.name)
        if not path.exists():
            return
        words = {name.removeprefix(self.prefix): one["text"] for name, one in self._numbers.items()}
        found = read_answer(path, words)
        display(Markdown(found.markdown()))
        if found.figure is None:
            return
        if found.figure not in self._figures:
            known = ", ".join(self._figures)
            raise UserError(f"{path}: figure: no figure {found.figure!r}; known: {known}")
        chart = f"{self.prefix}-{found.figure}"
        display(HTML(figure_html("answer", chart, *self._figures[found.figure])))

    def close(self) -> None:
        path = self.folder / "numbers.json"
        path.write_text(as_json(dict(sorted(self._numbers.items())), indent=1))
        self._trace.save(self.folder)

    def _check_name(self, name: str) -> None:
        if not re.fullmatch(r"[A-Za-z]+", name):
            raise UserError(f"number {name!r}: a LaTeX macro's name has letters only")
        if self.prefix + name in self._numbers:
            raise UserError(f"number {name!r}: set twice")


def _in_words(origins: list) -> str:
    return "; ".join(dict.fromkeys(origin.says for origin in origins))

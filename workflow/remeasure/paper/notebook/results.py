"""Results that a notebook hands to the paper: figures, numbers and tables, each in a file."""

import importlib
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import altair as alt
import pandas as pd
from IPython import get_ipython
from IPython.display import HTML, Markdown, display, update_display

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import ROOT
from remeasure.bench.claims.published import studies_of
from remeasure.paper.analysis.entry import Ledger, Part
from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.analysis.lineage import Quoted, origins_of
from remeasure.paper.analysis.texts import INTERVAL, NO_NUMBER, fixed, value_text
from remeasure.paper.analysis.verdicts.ledger import with_tests
from remeasure.paper.digits import as_json, rounded_chart
from remeasure.paper.notebook.as_latex import table_rows
from remeasure.paper.notebook.handed_number import HandedNumber, NumberFacts
from remeasure.paper.notebook.measured_text import LOST, measured
from remeasure.paper.notebook.opening_answer import opening
from remeasure.paper.notebook.pictures import drawn, figure_html, svg_file, svg_of
from remeasure.paper.notebook.preview import FILE
from remeasure.paper.notebook.trace.origins_record import Trace, chart_and_marks

_ANSWER, _ANSWER_CHART = "answer", "answer-chart"
"""names of the places that `answer_here` makes"""


class NothingMeasured(UserError):
    """Every trial of a notebook's scenario was rejected."""


def answer_here() -> None:
    """Make the place for the notebook's answer, which the last cell fills."""
    display(Markdown("*Run all cells: the last one puts the answer here.*"), display_id=_ANSWER)
    display(Markdown(""), display_id=_ANSWER_CHART)


def own(notebook: str, module: str) -> ModuleType:
    """The module of a notebook's folder that has this name."""
    return importlib.import_module(f"notebooks.{notebook}.{module}")


class Results:
    """Collects the results of one notebook under `folder`, which has the notebook's name.

    folder/figures/<prefix>-<name>.svg and .json (Vega-Lite; its description is the caption);
    folder/tables/<prefix>-<name>.tex: rows for the paper (see notebook.as_latex);
    folder/tables/<scenario>-campaign.tex: the row of the paper's table of campaigns, and
    virtual-<scenario>-campaign.tex the row of campaigns in virtual time; folder/claims.json: the
    statements of studies, with verdicts; folder/runs.csv: the limit of the rate of each run (see
    analysis.limits.rate_limits.limits); folder/tunnel.json: a part of the site's page My tunnel
    (notebook.my_tunnel); folder/preview.txt (notebook.preview); folder/numbers.json and
    folder/lineage.json (notebook.trace), written by `close`.
    """

    def __init__(self, folder: str | Path):
        self.folder = ROOT / folder
        self.name = Name.of_notebook(self.folder.name)
        self.prefix = self.name.prefix
        """first part of the names of macros and files, which distinguishes notebooks"""
        self._numbers: dict[str, HandedNumber] = {}
        self._trace = Trace()
        self._claims: Ledger = []
        for part in ("figures", "tables"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)

    def mark(self, mark: str) -> None:
        """Mark the answer, and all that is made from these results, by `mark`, if any."""
        if mark:
            (self.folder / FILE).write_text(mark)

    def figure(self, name: str, says: str, chart: alt.TopLevelMixin) -> HTML:
        """Save a chart, and return it as the notebook shows it. `says` is its caption on every page
        and in the paper, and its description for readers who do not see it."""
        path = self.folder / "figures" / f"{self.prefix}-{name}"
        says = measured(f"{says}\n".replace(NO_NUMBER, LOST)).strip()
        plain, marks = chart_and_marks(chart)
        specification = rounded_chart(plain | {"description": says})
        path.with_suffix(".json").write_text(as_json(specification))
        svg = svg_of(specification)
        path.with_suffix(".svg").write_text(svg_file(svg, says))
        self._trace.figure(path.name, marks)
        return HTML(figure_html(path.name, path.name, svg, says))

    def picture(self, name: str, says: str, drawing: str) -> HTML:
        """Save a picture without data for the paper, and return it to be shown. `says` as in
        `figure`; `drawing`: its file, relative to the project (pictures.drawn)."""
        svg = drawn(ROOT / drawing)
        path = self.folder / "figures" / f"{self.prefix}-{name}"
        path.with_suffix(".json").write_text(as_json({"description": says}))
        path.with_suffix(".svg").write_text(svg)
        return HTML(figure_html(path.name, "", svg, says))

    def table(
        self, name: str, table: pd.DataFrame, *, sources: Mapping[str, str] | None = None
    ) -> pd.DataFrame:
        """Save the rows of a table of strings, and return the table to be shown. `sources`: column
        -> source of its numbers, for columns without estimates. Raises UserError for an interval
        that has lost its estimate, and for a source of an unknown column."""
        self._check_table(name, table, sources or {})
        path = self.folder / "tables" / f"{self.prefix}-{name}.tex"
        path.write_text(table_rows(table))
        self._trace.table(f"{self.prefix}-{name}", table, dict(sources or {}))
        return table

    def campaign(self, row: pd.DataFrame, kind: str = "") -> None:
        """Save the row of the paper's table of campaigns; `kind` distinguishes two rows."""
        path = self.folder / "tables" / f"{kind}{self.name.scenario}-campaign.tex"
        path.write_text(table_rows(row))

    def number(
        self,
        name: str,
        value: float | Estimate,
        digits: int = 2,
        unit: str = "",
        source: str = "",
        *,
        made_from: Iterable[Estimate] = (),
    ) -> str:
        """Keep a number for the text as the macro \\<prefix><name>. Returns the text of the number.

        An estimate is printed with the digits that its interval allows, and needs no source: it has
        its origin. For another number, `digits` is the number of decimals, and `source` describes
        in words the counted thing, the program of a version, or the computation; `made_from` are
        the estimates from which it was computed. `unit` is a LaTeX unit.

        Raises UserError for a number without an estimate and without a source.
        """
        if isinstance(value, Estimate):
            found, text = value, value_text(value)
        else:
            found = Estimate(float(value), math.nan, math.nan, 0).computed(source, made_from)
            shown = fixed(value, digits) if math.isfinite(value) else NO_NUMBER
            text = Quoted(shown, [found.origin] if source else [])
        self._keep(name, text, source, {"value": found.value, "unit": unit})
        return f"{text} {unit}".strip()

    def count(self, name: str, number: float | Estimate, source: str) -> str:
        """Keep a count for a sentence, in digits, or `none`. `source` describes the counted thing;
        NaN was not measured. An estimate also leads to the trials."""
        found = number if isinstance(number, Estimate) else Estimate(number, math.nan, math.nan, 0)
        if math.isnan(found.value):
            return self.words(name, NO_NUMBER, source)
        whole = int(found.value)
        text = Quoted(str(whole) if whole else "none", [found.origin])
        self._keep(name, text, source, {"value": whole, "words": True})
        return text

    def words(self, name: str, text: str, source: str = "") -> str:
        """Keep a text (a version, a date, an interval) as a macro; `source` as in `number`. Raises
        UserError for a text without estimates (analysis.lineage.Quoted) and without a source."""
        self._keep(name, text, source, {"words": True})
        return text

    def claims(self, rows: Ledger) -> None:
        """Hand over statements of studies to the ledger (analysis.verdicts.ledger). The origin of
        each test becomes its place in lineage.json."""

        def placed(test: Part) -> Part:
            origin: Any = test["origin"]
            return {**test, "origin": None if origin is None else self._trace.places([origin])[0]}

        self._claims += [with_tests(row, placed) for row in rows]
        (self.folder / "claims.json").write_text(as_json(self._claims, indent=1))

    def runs(self, table: pd.DataFrame) -> None:
        """Hand over the limit of the rate of each run."""
        path = self.folder / "runs.csv"
        table.to_csv(path, index=False, float_format="%.4g", lineterminator="\n")

    def tunnel(self, part: dict[str, Any]) -> None:
        """Hand over a part of the site's page My tunnel (notebook.my_tunnel)."""
        (self.folder / "tunnel.json").write_text(as_json(part, indent=1))

    def answer(self) -> None:
        """Hand everything over. If a reader runs the notebook, show its `opening`, which the
        workflow puts into pages. Raises UserError, also if statements of studies were not
        tested."""
        self.close()
        asking = [study.name for study in studies_of(self.name.scenario)]
        if asking and not (self.folder / "claims.json").exists():
            raise UserError(
                f"notebooks/{self.folder.name}: no cell tests statements of {', '.join(asking)}; "
                "expected notebook.statements().show(), as in notebooks/template"
            )
        if hasattr(get_ipython(), "kernel"):
            for place, shown in zip((_ANSWER, _ANSWER_CHART), opening(self.folder), strict=False):
                update_display(shown, display_id=place, raw=True)

    def own(self, module: str) -> ModuleType:
        """The module of this notebook's folder that has this name."""
        return own(self.folder.name, module)

    def close(self) -> None:
        path = self.folder / "numbers.json"
        path.write_text(as_json(dict(sorted(self._numbers.items())), indent=1))
        self._trace.save(self.folder)

    def _keep(self, name: str, text: str, source: str, facts: NumberFacts) -> None:
        if not re.fullmatch(r"[A-Za-z]+", name):
            raise UserError(f"number {name!r}: a LaTeX macro's name has letters only")
        if self.prefix + name in self._numbers:
            raise UserError(f"number {name!r}: set twice")
        origins = origins_of(text)
        if not origins and not source.strip() and text != NO_NUMBER:
            raise UserError(
                f"number {name!r}: {text!r} is not made of an estimate and has no source; say in "
                "words what is counted and of what, whose version it is, or how it is computed"
            )
        if len(origins) == 1:
            one = origins[0]
            known: NumberFacts = {"value": one.value}
            if not (math.isnan(one.low) or math.isnan(one.high)):
                low, high = (end if math.isfinite(end) else None for end in (one.low, one.high))
                known |= {"low": low, "high": high}
            facts = known | facts
        said = source or "; ".join(origin.says for origin in origins) or "not measured here"
        self._numbers[self.prefix + name] = {"text": str(text), "source": said, **facts}
        self._trace.number(self.prefix + name, origins)

    def _check_table(self, name: str, table: pd.DataFrame, sources: Mapping[str, str]) -> None:
        for column in sources:
            # Without measurements there are neither rows nor columns.
            if len(table) and column not in table.columns:
                known = ", ".join(map(str, table.columns))
                raise UserError(f"table {name!r}: sources: no column {column!r}; known: {known}")
        for row in table.itertuples(index=False):
            for column, text in zip(table.columns, row, strict=True):
                if column in sources or not isinstance(text, str):
                    continue
                if INTERVAL.search(text) and not origins_of(text):
                    raise UserError(
                        f"table {name!r}, column {column!r}: the interval {text!r} has lost its "
                        "estimate; make the table with pandas.DataFrame(..., dtype=object)"
                    )

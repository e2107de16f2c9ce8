"""A chart of durations by two factors: a field for each cell, darker where it lasted longer."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import nothing
from remeasure.paper.notebook.charts.theme import COLUMN, PALETTE, TWO_LINES, printed

_PADDING = {"left": 108, "right": 2, "top": 30, "bottom": 2}
"""space around the fields, with the names of rows and columns [pt]"""
_STEP = 13
"""height of a row [pt]"""
_KINDS = {"nothing": "white", "some": PALETTE[1], "to the end": PALETTE[3]}
"""kind of a field -> its colour"""
_TEXT = {"nothing": "black", "some": "#111111", "to the end": "white"}
"""kind of a field -> the colour of its number; a dark page shows black as a light grey"""


def seconds_grid(cells: pd.DataFrame) -> alt.LayerChart | alt.VConcatChart:
    """Durations in one column. `cells` has columns row, column (names; a column's is broken at its
    first space), value [s], end (whether it lasted to the end of the run) and origin, with rows and
    columns in their order."""
    if cells.empty:
        return nothing("No outage was measured.", COLUMN)
    rows, columns = (list(dict.fromkeys(cells[name])) for name in ("row", "column"))
    kinds = (
        cells["end"].map({True: "to the end", False: "some"}).mask(cells["value"] == 0, "nothing")
    )
    fields = cells.drop(columns=["end"]).assign(kind=kinds)
    plain: dict[str, Any] = {"ticks": False, "domain": False}
    above = alt.Axis(orient="top", labelAngle=0, labelExpr=TWO_LINES, labelPadding=13, **plain)
    x = alt.X("column:N", sort=columns, title=None, axis=above)
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(**plain))
    field, number = (
        alt.Color("kind:N", legend=None, scale=alt.Scale(domain=list(of), range=list(of.values())))
        for of in (_KINDS, _TEXT)
    )
    base = alt.Chart(fields).encode(x=x, y=y)
    chart = alt.layer(
        base.mark_rect(stroke="#bbbbbb", strokeWidth=0.5).encode(color=field),
        base.mark_text(fontSize=8).encode(text=alt.Text("value:Q", format=".3~g"), color=number),
    ).resolve_scale(color="independent")
    height = _PADDING["top"] + _PADDING["bottom"] + _STEP * len(rows)
    return printed(chart, COLUMN, height, _PADDING)

"""The paper's figure of published and measured ratios: a panel for each network, in one column."""

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import keyed, nothing
from remeasure.paper.notebook.charts.theme import COLUMN, GREY, PALETTE

_LEFT, _GAP, _RIGHT = 56, 8, 4
"""width of the names of rows, between panels, and to the right of the last one [pt]"""
_STEP = 12
"""height of a row [pt]"""
PUBLISHED, MEASURED = "published", "measured, 95 % interval"
"""names of the marks in the key"""


def ratio_panels(table: pd.DataFrame, x_title: str) -> alt.HConcatChart | alt.VConcatChart:
    """Measured ratios with intervals, and the published ratio of the same comparison, in panels
    that share their rows and one logarithmic axis. `table` has columns panel, row, ratio,
    ratio_low, ratio_high, origin (of the ratio), published; panels and rows are in its order."""
    table = table.dropna(subset=["ratio_low", "ratio_high"])
    if table.empty:
        return nothing("No ratio has an interval: too few blocks.", COLUMN)
    panels, rows = (list(dict.fromkeys(table[column])) for column in ("panel", "row"))
    gaps = _GAP * (len(panels) - 1)
    width = (COLUMN - _LEFT - _RIGHT - gaps) // len(panels)
    numbers = table[["ratio_low", "ratio_high", "published"]]
    ends = [0.9 * numbers.min().min(), 1.1 * numbers.max().max()]
    scale = alt.Scale(type="log", domain=ends, nice=False)

    def of_panel(name: str) -> alt.LayerChart:
        axis = alt.Axis(labels=name == panels[0], ticks=False, grid=True, labelLimit=80)
        y = alt.Y("row:N", title=None, sort=rows, axis=axis)
        layers = _layers(table[table["panel"] == name], y, scale, x_title)
        return layers.properties(width=width, height=_STEP * len(rows), title=name)

    chart = alt.hconcat(*map(of_panel, panels), spacing=_GAP, bounds="flush")
    return chart.properties(padding={"left": 1, "right": 1, "top": 1, "bottom": 1})


def _layers(table: pd.DataFrame, y: alt.Y, scale: alt.Scale, x_title: str) -> alt.LayerChart:
    ticks = alt.Axis(values=[0.1, 0.2, 0.5, 1, 2, 5, 10], format="~g", grid=False)
    x, low = (
        alt.X(f"{n}:Q", title=x_title, scale=scale, axis=ticks) for n in ("ratio", "ratio_low")
    )
    ranges = {
        "shape": ["circle", "diamond"],
        "stroke": [PALETTE[0], "black"],
        "fill": [PALETTE[0], "transparent"],
    }
    key = keyed("source", [MEASURED, PUBLISHED], ranges, title=None)
    table = table.assign(source=MEASURED)
    theirs = table.drop(columns="origin").assign(ratio=table["published"], source=PUBLISHED)
    none = alt.Chart(pd.DataFrame({"one": [1]})).mark_rule(color=GREY, strokeDash=[3, 2])
    interval = alt.Chart(table).mark_rule(strokeWidth=1.5, color=PALETTE[0])
    tooltip = [
        alt.Tooltip("row:N", title="ratio of"),
        alt.Tooltip("ratio:Q", format=".3f"),
        alt.Tooltip("source:N", title=" "),
    ]
    layers = [
        none.encode(x=alt.X("one:Q", scale=scale, title=x_title, axis=ticks)),
        interval.encode(x=low, x2="ratio_high:Q", y=y),
    ]
    for rows, size in ((table, 28), (theirs, 44)):
        mark = alt.Chart(rows).mark_point(size=size, opacity=1, strokeWidth=1.2)
        layers.append(mark.encode(x=x, y=y, tooltip=tooltip, **key))
    return alt.LayerChart(layer=layers)

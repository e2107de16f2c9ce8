"""The figure of set-up times over paths that lose packets: measured, and by a model."""

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import level_color, nothing
from remeasure.paper.notebook.charts.theme import COLUMN

_NAMES = 150
"""width of the names of key exchanges [pt]"""
_STEP = 9
"""height of a mark's row [pt]"""


def set_up_losses(points: pd.DataFrame) -> alt.LayerChart | alt.VConcatChart:
    """Mean time to set up an SA by key exchange (row) and path (level), with intervals, and what
    the model says, as a tick across each interval.

    `points` has columns row, level, value, low, high and model [ms], and origin, in the order in
    which rows and levels are shown.
    """
    if points.empty:
        return nothing("No set-up was measured over a path that loses packets.", COLUMN)
    rows, levels = (list(dict.fromkeys(points[column])) for column in ("row", "level"))
    axis = alt.Axis(labelLimit=_NAMES, grid=False)
    y = alt.Y("row:N", title=None, sort=rows, axis=axis)
    offset = alt.YOffset("level:N", sort=levels)
    title, scale = "mean time to set up (ms)", alt.Scale(domainMin=0)
    x, model = (alt.X(f"{name}:Q", title=title, scale=scale) for name in ("value", "model"))
    marks = level_color(levels, "path")
    marks["color"].legend = marks["shape"].legend = alt.Legend(columns=1, orient="top")
    plain = alt.Chart(points.drop(columns="origin"))
    interval = plain.mark_rule(strokeWidth=1.6).encode(
        x=alt.X("low:Q", title=title, scale=scale),
        x2="high:Q",
        y=y,
        yOffset=offset,
        color=marks["color"],
    )
    predicted = plain.mark_tick(color="black", thickness=1.2, size=7)
    measured = alt.Chart(points).mark_point(size=30, filled=True, opacity=1)
    return alt.LayerChart(
        layer=[
            interval,
            measured.encode(x=x, y=y, yOffset=offset, **marks),
            predicted.encode(x=model, y=y, yOffset=offset),
        ],
        width=2 * COLUMN - _NAMES,
        height=alt.Step(_STEP),
    )

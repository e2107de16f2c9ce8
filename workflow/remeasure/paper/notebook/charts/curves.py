"""Small multiples: one panel for each level, with a quantity against a number, and intervals."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import level_color
from remeasure.paper.notebook.charts.theme import GREY

_TOOLTIP = [
    *(alt.Tooltip("panel:N"), alt.Tooltip("level:N"), alt.Tooltip("x:Q")),
    *(alt.Tooltip(f"{name}:Q", format=".4g") for name in ("value", "low", "high")),
]


def small_multiples(
    table: pd.DataFrame,
    rules: pd.DataFrame,
    *,
    levels: list[str],
    legend: str,
    x_title: str,
    y_title: str | list[str],
    columns: int,
    width: int,
    height: int,
    scale: alt.Scale | None = None,
) -> alt.ConcatChart:
    """A chart of one curve with intervals per level, in several panels. `table` has columns panel,
    level, x, value, low, high, origin; `rules` has columns panel and x of dashed lines. Panels come
    in the order of the table and share their y axis; an interval that leaves the `scale` is cut at
    its edge. `width` and `height` [pt] are the size of one panel."""
    panels = list(dict.fromkeys(table["panel"]))
    y_scale = scale or alt.Scale(zero=True)
    x_scale = alt.Scale(domain=[0, float(table["x"].max()) * 1.04], nice=False)
    charts = []
    for number, panel in enumerate(panels):
        left, bottom = number % columns == 0, number + columns >= len(panels)
        below, beside = x_title if bottom else None, y_title if left else None
        axes = alt.Axis(tickCount=4, labels=bottom), alt.Axis(labels=left, tickCount=5)
        x = alt.X("x:Q", title=below, scale=x_scale, axis=axes[0])
        y = alt.Y("value:Q", title=beside, scale=y_scale, axis=axes[1])
        limit = alt.Chart(rules[rules["panel"] == panel]).mark_rule(color=GREY, strokeDash=[3, 2])
        curve = _curve(panel, x, y, y_scale, level_color(levels, legend))
        if not table["low"].notna().any():  # Vega warns of intervals without an end
            curve = curve[1:]
        title = alt.Title(panel, fontSize=8.5, offset=2)
        layers = [limit.encode(x=alt.X("x:Q")), *curve]
        charts.append(alt.layer(*layers, width=width, height=height, title=title))
    # A property that is set later copies all panels, and each copy of a panel copies its layers.
    shared = alt.Resolve(scale=alt.ScaleResolveMap(y="shared"))
    return alt.concat(*charts, data=table, columns=columns, spacing=6, resolve=shared)


def _curve(
    panel: str, x: alt.X, y: alt.Y, y_scale: alt.Scale, marks: dict[str, Any]
) -> tuple[alt.Chart, ...]:
    """Intervals, lines and points of one panel."""
    # All panels draw from one table: altair copies tables of parts with each part, many times.
    base = alt.Chart().transform_filter(alt.datum.panel == panel)
    band = base.mark_rule(strokeWidth=1.2, clip=True).encode(
        x=x, y=alt.Y("low:Q", scale=y_scale), y2=alt.Y2("high:Q"), color=marks["color"]
    )
    line = base.mark_line(strokeWidth=1.1).encode(x=x, y=y, color=marks["color"])
    point = base.mark_point(size=16, filled=True, opacity=1).encode(
        x=x, y=y, **marks, tooltip=_TOOLTIP
    )
    return band, line, point

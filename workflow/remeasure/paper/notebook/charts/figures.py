"""The kinds of charts that the paper uses."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.analysis.estimates import Estimate
from remeasure.paper.notebook.charts.theme import GREY, PALETTE, SHAPES

Ranges = Mapping[str, Sequence[str]]
_TOOLTIP = [
    *("row", "level"),
    *(alt.Tooltip(name, format=".4g") for name in ("value", "low", "high")),
]


def keyed(column: str, levels: list[str], ranges: Ranges, **key: Any) -> dict[str, Any]:
    """Encodings that distinguish the levels in a column. `ranges`: channel -> a value for each
    level; `key`: arguments of the channels, about the key of the chart."""
    return {
        channel: getattr(alt, channel.capitalize())(
            f"{column}:N", scale=alt.Scale(domain=levels, range=list(values)), **key
        )
        for channel, values in ranges.items()
    }


def level_color(levels: list[str], title: str) -> dict[str, Any]:
    """Encodings that distinguish the levels of one factor by colour and shape alike."""
    return keyed("level", levels, {"color": PALETTE, "shape": SHAPES}, title=title)


def points_and_intervals(
    points: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    levels: list[str],
    legend: str,
    x_title: str,
    width: int,
    row_step: int = 18,
    scale: alt.Scale | None = None,
    ticks: list[float] | None = None,
    rule: float | None = None,
    band: Estimate | None = None,
    power: int = 0,
) -> alt.LayerChart:
    """A chart of estimates with their intervals, over a faint mark for every trial if an estimate
    is of several.

    `points` has columns row, level, value; `cells` has columns row, level, value, low, high, and
    origin if they are estimates. Each quantity has one row of the chart, with levels side by side
    within it. An interval that leaves the `scale` is cut at its edge, and `ticks` are the values on
    its axis, printed divided by 10 to the `power`. `rule` is a dashed line, `band` a shade.
    """
    rows, axis = list(dict.fromkeys(cells["row"])), alt.Axis(labelLimit=160, grid=False)
    y = alt.Y("row:N", title=None, sort=rows, axis=axis)
    offset = alt.YOffset("level:N", sort=levels)
    scale = scale or alt.Scale(zero=False)
    axis = _value_axis(ticks, power)
    x, low = (alt.X(f"{end}:Q", title=x_title, scale=scale, axis=axis) for end in ("value", "low"))
    marks = level_color(levels, legend)
    raw = alt.Chart(points).mark_point(size=14, opacity=0.35, strokeWidth=0.8)
    trials = [raw.encode(x=x, y=y, yOffset=offset, **marks)] if len(points) > len(cells) else []
    interval = alt.Chart(cells).mark_rule(strokeWidth=1.6, clip=True)
    interval = interval.encode(x=low, x2="high:Q", y=y, yOffset=offset, color=marks["color"])
    estimate = alt.Chart(cells).mark_point(size=42, filled=True, opacity=1)
    estimate = estimate.encode(x=x, y=y, yOffset=offset, **marks, tooltip=_TOOLTIP)
    # Vega warns of columns of intervals without any end.
    intervals = [interval] if cells["low"].notna().any() else []
    layers = [*_behind(rule, band, low), *trials, *intervals, estimate]
    return alt.LayerChart(layer=layers, width=width, height=alt.Step(row_step / 2))


def _value_axis(ticks: list[float] | None, power: int) -> alt.Axis:
    axis = alt.Axis(values=ticks) if ticks else alt.Axis()
    if power:
        axis.labelExpr = f"format(datum.value / 1e{power}, '~g')"
    return axis


def _behind(rule: float | None, band: Estimate | None, between: alt.X) -> list[alt.Chart]:
    layers = []
    if band is not None:
        shade = alt.Chart(pd.DataFrame([band.columns()]))
        shade = shade.mark_rect(color=GREY, opacity=0.15, clip=True)
        layers.append(shade.encode(x=between, x2="high:Q"))
    if rule is not None:
        line = alt.Chart().mark_rule(color=GREY, strokeDash=[3, 2])
        layers.append(line.encode(x=alt.datum(rule)))
    return layers


def nothing(sentence: str, width: int) -> alt.VConcatChart:
    """A sentence in place of a chart."""
    nothing = alt.Chart(pd.DataFrame({"says": [sentence]}), width=width, height=40)
    return alt.vconcat(nothing.mark_text().encode(text="says:N"))


_CURVE_TOOLTIP = [
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
        axes = alt.Axis(tickCount=4, labels=bottom), alt.Axis(labels=left, tickCount=5)
        x = alt.X("x:Q", title=x_title if bottom else None, scale=x_scale, axis=axes[0])
        y = alt.Y("value:Q", title=y_title if left else None, scale=y_scale, axis=axes[1])
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
    # All panels draw from one table: altair copies tables of parts with each part, many times.
    base = alt.Chart().transform_filter(alt.datum.panel == panel)
    band = base.mark_rule(strokeWidth=1.2, clip=True).encode(
        x=x, y=alt.Y("low:Q", scale=y_scale), y2=alt.Y2("high:Q"), color=marks["color"]
    )
    line = base.mark_line(strokeWidth=1.1).encode(x=x, y=y, color=marks["color"])
    point = base.mark_point(size=16, filled=True, opacity=1).encode(
        x=x, y=y, **marks, tooltip=_CURVE_TOOLTIP
    )
    return band, line, point

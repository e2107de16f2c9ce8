"""Set-up time, measured and by a model: over the round trip, and over paths that lose packets."""

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import keyed, level_color, nothing
from remeasure.paper.notebook.charts.theme import COLUMN, GREY, PALETTE, printed

_PADDING = {"left": 38, "right": 104, "top": 15, "bottom": 29}
"""space around the plot, with the names of the methods to its right [pt]"""
_HEIGHT = 176
"""of the whole figure [pt]"""
REAL, VIRTUAL = "measured", "virtual time"
"""names of the two clocks in the key"""


def set_up_lines(
    points: pd.DataFrame, names: dict[str, str], unit: str
) -> alt.LayerChart | alt.VConcatChart:
    """Time to set up an SA over the round trip, in one column. `points` has columns method, rtt
    [ms], exchanges, value, low, high, virtual (the time in virtual time, NaN if it was not
    measured) and origin. `names` maps methods in the figure to the words at the end of their lines;
    methods with as many exchanges share a line. A line is the product of exchanges and round trip,
    with nothing fitted."""
    points = points[points["method"].isin(list(names))]
    if points.empty:
        return nothing("None of the figure's methods was measured.", COLUMN)
    end = points["rtt"].max()
    lines = points.drop_duplicates("exchanges")[["exchanges"]]
    lines = pd.concat([lines.assign(rtt=rtt, value=lines["exchanges"] * rtt) for rtt in (0.0, end)])
    scale = alt.Scale(domain=[-0.02 * end, 1.03 * end], nice=False)
    axis = alt.Axis(values=sorted(points["rtt"].unique()), grid=False)
    x = alt.X("rtt:Q", title="round trip (ms)", scale=scale, axis=axis)
    y = alt.Y("value:Q", title=f"time to set up ({unit})", axis=alt.Axis(tickCount=5))
    line = alt.Chart(lines).mark_line(color=GREY, strokeWidth=0.8)
    interval = alt.Chart(points.drop(columns="origin")).mark_rule(strokeWidth=1.2, color=PALETTE[0])
    text = alt.Chart(_ends(points, names)).mark_text(align="left", dx=7, fontSize=8)
    head = alt.Chart(pd.DataFrame({"text": ["exchanges: methods"]}))
    head = head.mark_text(align="left", dx=5, fontSize=8, color=GREY)
    chart = alt.layer(
        line.encode(x=x, y=y, detail="exchanges:N"),
        interval.encode(x=x, y=alt.Y("low:Q"), y2="high:Q"),
        _marks(points, x, y),
        text.encode(x=x, y=y, text="text:N"),
        head.encode(x=alt.value("width"), y=alt.value(-7), text="text:N"),
    )
    return printed(chart, COLUMN, _HEIGHT, _PADDING)


def _ends(points: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """The end of each line, and the words there: its exchanges, and the methods that take them."""
    end, groups = points["rtt"].max(), points.drop_duplicates("method").groupby("exchanges")
    ends = [
        (end, exchanges * end, f"{exchanges:.0f}: {', '.join(names[method] for method in own)}")
        for exchanges, own in groups["method"]
    ]
    return pd.DataFrame(ends, columns=["rtt", "value", "text"])


def _marks(points: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """A mark of each method at each round trip, for each clock by which it was measured."""
    virtual = points.dropna(subset=["virtual"]).drop(columns="origin")
    virtual = virtual.assign(value=virtual["virtual"], clock=VIRTUAL)
    both = pd.concat([virtual, points.assign(clock=REAL)])
    clocks = [clock for clock in (REAL, VIRTUAL) if clock in set(both["clock"])]
    legend = alt.Legend(title=None, orient="top-left", symbolSize=26, offset=3)
    fills, strokes = [PALETTE[0], "white"], [PALETTE[0], "black"]
    ranges = {"fill": fills[: len(clocks)], "stroke": strokes[: len(clocks)]}
    mark = alt.Chart(both).mark_point(size=20, opacity=1, strokeWidth=0.9)
    return mark.encode(x=x, y=y, **keyed("clock", clocks, ranges, legend=legend))


_NAMES = 150
"""width of the names of key exchanges [pt]"""
_STEP = 9
"""height of a mark's row [pt]"""


def set_up_losses(points: pd.DataFrame) -> alt.LayerChart | alt.VConcatChart:
    """Mean time to set up an SA by key exchange (row) and path (level), with intervals, and the
    model's time as a tick across each interval. `points` has columns row, level, value, low, high
    and model [ms], and origin, in the order of rows and levels in the chart."""
    if points.empty:
        return nothing("No set-up was measured over a path that loses packets.", COLUMN)
    rows, levels = (list(dict.fromkeys(points[column])) for column in ("row", "level"))
    axis = alt.Axis(labelLimit=_NAMES, grid=False)
    y = alt.Y("row:N", title=None, sort=rows, axis=axis)
    offset = alt.YOffset("level:N", sort=levels)
    title, scale = "mean time to set up (ms)", alt.Scale(domainMin=0)
    ends = ("value", "low", "model")
    x, low, model = (alt.X(f"{name}:Q", title=title, scale=scale) for name in ends)
    marks = level_color(levels, "path")
    marks["color"].legend = marks["shape"].legend = alt.Legend(columns=1, orient="top")
    plain = alt.Chart(points.drop(columns="origin"))
    interval = plain.mark_rule(strokeWidth=1.6)
    predicted = plain.mark_tick(color="black", thickness=1.2, size=7)
    measured = alt.Chart(points).mark_point(size=30, filled=True, opacity=1)
    return alt.LayerChart(
        layer=[
            interval.encode(x=low, x2="high:Q", y=y, yOffset=offset, color=marks["color"]),
            measured.encode(x=x, y=y, yOffset=offset, **marks),
            predicted.encode(x=model, y=y, yOffset=offset),
        ],
        width=2 * COLUMN - _NAMES,
        height=alt.Step(_STEP),
    )

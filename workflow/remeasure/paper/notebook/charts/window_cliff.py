"""What a window refuses, by window: measured marks, and the law's line, for each cause."""

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import nothing
from remeasure.paper.notebook.charts.theme import COLUMN, GREY, PALETTE, SHAPES, printed

_PADDING = {"left": 34, "right": 78, "top": 14, "bottom": 29}
"""space around the plot, with the causes to its right and the default's name above it [pt]"""
_HEIGHT = 150
"""of the whole figure [pt]"""


def window_cliff(
    points: pd.DataFrame, law: pd.DataFrame, causes: list[str], default: int
) -> alt.LayerChart | alt.VConcatChart:
    """Share of packets that the window refuses, in one column. `default` is the window that is
    marked [packets].

    `points` has columns window [packets], cause, value [%] and origin; `law` has columns window,
    cause and value.
    """
    if points.empty:
        return nothing("No flow was measured.", COLUMN)
    windows = sorted(set(points["window"]))
    x = alt.X(
        "window:Q",
        title="anti-replay window (packets)",
        scale=alt.Scale(type="log", domain=[windows[0] / 1.3, 1.3 * windows[-1]], nice=False),
        axis=alt.Axis(values=windows, format="d", grid=False),
    )
    y = alt.Y(
        "value:Q",
        title="packets refused (%)",
        scale=alt.Scale(domain=[0, 100]),
        axis=alt.Axis(values=[0, 25, 50, 75, 100], labelOverlap=False),
    )
    legend = alt.Legend(title=None, orient="right", offset=4, symbolSize=36)
    color, shape = (
        kind("cause:N", legend=legend, scale=alt.Scale(domain=causes, range=of[: len(causes)]))
        for kind, of in ((alt.Color, PALETTE), (alt.Shape, SHAPES))
    )
    line = alt.Chart(law).mark_line(strokeWidth=1)
    mark = alt.Chart(points).mark_point(filled=True, size=30, opacity=1)
    layers = [line.encode(x=x, y=y, color=color), mark.encode(x=x, y=y, color=color, shape=shape)]
    if default in windows:
        named = alt.Chart(pd.DataFrame({"window": [default], "text": ["default"]}))
        layers.insert(0, named.mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=x))
        text = named.mark_text(color=GREY, fontSize=8)
        layers.append(text.encode(x=x, y=alt.value(-6), text="text:N"))
    return printed(alt.layer(*layers), COLUMN, _HEIGHT, _PADDING)

"""Charts of packets that pass or fail an anti-replay window, measured and by a model."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import keyed, nothing
from remeasure.paper.notebook.charts.theme import COLUMN, GREY, PALETTE, SHAPES, printed

_BESIDE_RATES = {"left": 34, "right": 50, "top": 14, "bottom": 29}
"""space around the plot, with the rates to its right and the default's name above it [pt]"""
_HEIGHT = 150
"""of the whole figure [pt]"""


def window_lines(
    points: pd.DataFrame, predicted: pd.DataFrame, default: int
) -> alt.LayerChart | alt.VConcatChart:
    """Share of packets that pass by window, in one column: measured marks with intervals, and the
    predicted line of each rate. `default` is the marked window [packets]. `points` has columns
    window [packets, as text; '0': none], rate [Mbit/s, as text], value, low, high (all shares) and
    origin; `predicted` has columns window [packets], rate and value."""
    if points.empty:
        return nothing("No window was measured behind a path that reorders.", COLUMN)
    measured = sorted(int(window) for window in set(points["window"]) if window != "0")
    # On the axis "none" is as far out as the windows are from each other.
    without = 4 * measured[-1]
    rates = sorted(set(points["rate"]), key=float)
    points = points.assign(place=points["window"].astype(int).replace(0, without))
    predicted = predicted.rename(columns={"window": "place"})
    has_none = "0" in set(points["window"])
    axis = alt.Axis(
        values=[*measured, *([without] if has_none else [])],
        labelExpr=f"datum.value == {without} ? 'none' : format(datum.value, 'd')",
        grid=False,
    )
    x, y = _axes("place", (measured[0] / 1.4, 1.4 * without), axis, "packets that pass (%)")
    legend = alt.Legend(title="Mbit/s", orient="right", offset=4, symbolSize=36, titleFontSize=8)
    marks = _key("rate", rates, legend)
    color = marks["color"]
    base = alt.Chart(_in_percent(points))
    line = alt.Chart(_in_percent(predicted)).mark_line(strokeWidth=1)
    layers = [
        line.encode(x=x, y=y, color=color),
        base.mark_rule(strokeWidth=1.6, clip=True).encode(x=x, y="low:Q", y2="high:Q", color=color),
        base.mark_point(filled=True, size=30, opacity=1).encode(x=x, y=y, **marks),
    ]
    return _marked(layers, x, "place", default if default in measured else None, _BESIDE_RATES)


def _axes(place: str, ends: tuple[float, float], axis: alt.Axis, title: str) -> tuple[alt.X, alt.Y]:
    """Axes of windows, which are in column `place`, and of a share in percent."""
    scale = alt.Scale(type="log", domain=list(ends), nice=False)
    x = alt.X(f"{place}:Q", title="anti-replay window (packets)", scale=scale, axis=axis)
    of_share = alt.Axis(values=[0, 25, 50, 75, 100], labelOverlap=False)
    return x, alt.Y("value:Q", title=title, scale=alt.Scale(domain=[0, 100]), axis=of_share)


def _key(column: str, levels: list[str], legend: alt.Legend) -> dict[str, Any]:
    """The colour and shape of each level."""
    ranges = {"color": PALETTE[: len(levels)], "shape": SHAPES[: len(levels)]}
    return keyed(column, levels, ranges, legend=legend)


def _marked(
    layers: list[alt.Chart], x: alt.X, place: str, default: int | None, padding: dict[str, int]
) -> Any:
    """The figure, with a line and a word at the default window, if it is on the axis."""
    if default is not None:
        mark = alt.Chart(pd.DataFrame({place: [default], "text": ["default"]}))
        line = mark.mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=x)
        name = mark.mark_text(color=GREY, fontSize=8).encode(x=x, y=alt.value(-6), text="text:N")
        layers = [line, *layers, name]
    return printed(alt.layer(*layers), COLUMN, _HEIGHT, padding)


def _in_percent(table: pd.DataFrame) -> pd.DataFrame:
    shares = [column for column in ("value", "low", "high") if column in table]
    return table.assign(**{column: 100 * table[column] for column in shares})


_BESIDE_CAUSES = {"left": 34, "right": 78, "top": 14, "bottom": 29}
"""space around the plot, with the causes to its right and the default's name above it [pt]"""


def window_cliff(
    points: pd.DataFrame, law: pd.DataFrame, causes: list[str], default: int
) -> alt.LayerChart | alt.VConcatChart:
    """Share of packets that the window refuses, in one column. `default` is the marked window
    [packets]. `points` has columns window [packets], cause, value [%] and origin; `law` has columns
    window, cause and value."""
    if points.empty:
        return nothing("No flow was measured.", COLUMN)
    windows = sorted(set(points["window"]))
    axis = alt.Axis(values=windows, format="d", grid=False)
    x, y = _axes("window", (windows[0] / 1.3, 1.3 * windows[-1]), axis, "packets refused (%)")
    legend = alt.Legend(title=None, orient="right", offset=4, symbolSize=36)
    marks = _key("cause", causes, legend)
    line = alt.Chart(law).mark_line(strokeWidth=1)
    mark = alt.Chart(points).mark_point(filled=True, size=30, opacity=1)
    layers = [line.encode(x=x, y=y, color=marks["color"]), mark.encode(x=x, y=y, **marks)]
    return _marked(layers, x, "window", default if default in windows else None, _BESIDE_CAUSES)

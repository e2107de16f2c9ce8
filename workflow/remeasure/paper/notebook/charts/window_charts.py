"""Charts of packets that pass or fail an anti-replay window, measured and by a model."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import keyed, nothing
from remeasure.paper.notebook.charts.theme import COLUMN, GREY, PALETTE, SHAPES, printed

_HEIGHT = 150
"""of the whole figure [pt]"""


def window_lines(
    points: pd.DataFrame, predicted: pd.DataFrame, default: int
) -> alt.LayerChart | alt.VConcatChart:
    """Share of packets that pass by window, in one column: measured marks with intervals, and the
    predicted line of each rate. `default` is the marked window [packets]. `points` has columns
    window [packets; 0: none], rate [Mbit/s, as text], value, low, high (all shares) and
    origin; `predicted` has columns window [packets], rate, from the lowest, and value."""
    if points.empty:
        return nothing("No window was measured behind a path that reorders.", COLUMN)
    measured = sorted(set(points["window"]) - {0})
    # On the axis "none" is as far out as the windows are from each other.
    without = 4 * measured[-1]
    sizes = points["window"]
    points = points.assign(window=sizes.astype(str), place=sizes.replace(0, without))
    rates = [rate for rate in dict.fromkeys(predicted["rate"]) if rate in set(points["rate"])]
    legend = alt.Legend(title="Mbit/s", orient="right", offset=4, symbolSize=36, titleFontSize=8)
    return _drawn(
        _in_percent(points),
        _in_percent(predicted.rename(columns={"window": "place"})),
        "place",
        [measured[0] / 1.4, 1.4 * without],
        {
            "values": sorted(set(points["place"].tolist())),
            "labelExpr": f"datum.value == {without} ? 'none' : format(datum.value, 'd')",
        },
        "packets that pass (%)",
        _key("rate", rates, legend),
        default if default in measured else None,
        right=50,
    )


def window_cliff(
    points: pd.DataFrame,
    law: pd.DataFrame,
    causes: list[str],
    default: int,
    title: str = "packets refused (%)",
    angle: int = 0,
) -> alt.LayerChart | alt.VConcatChart:
    """Share of packets, which `title` names, by window, in one column. `default` is the marked
    window, and `angle` turns the labels of windows [degrees]. `points` has columns window
    [packets], cause, value [%] and origin; `law` has columns window, cause and value."""
    if points.empty:
        return nothing("No flow was measured.", COLUMN)
    windows = sorted(set(points["window"]))
    legend = alt.Legend(title=None, orient="right", offset=4, symbolSize=36)
    return _drawn(
        points,
        law,
        "window",
        [windows[0] / 1.3, 1.3 * windows[-1]],
        {"values": windows, "format": "d", "labelAngle": angle, "labelOverlap": not angle},
        title,
        _key("cause", causes, legend),
        default if default in windows else None,
        right=78,
        bottom=42 if angle else 29,
    )


def _key(column: str, levels: list[str], legend: alt.Legend) -> dict[str, Any]:
    ranges = {"color": PALETTE[: len(levels)], "shape": SHAPES[: len(levels)]}
    return keyed(column, levels, ranges, legend=legend)


def _in_percent(table: pd.DataFrame) -> pd.DataFrame:
    shares = [column for column in ("value", "low", "high") if column in table]
    return table.assign(**{column: 100 * table[column] for column in shares})


def _drawn(
    points: pd.DataFrame,
    lines: pd.DataFrame,
    place: str,
    domain: list[float],
    axis: dict[str, Any],
    title: str,
    marks: dict[str, Any],
    default: int | None,
    right: int,
    bottom: int = 29,
) -> Any:
    """The figure: shares [%] by window, in column `place`, with intervals if `points` has them, and
    a line and a word at the default window. `right` is the space for the key, `bottom` for the axis
    [pt]."""
    scale = alt.Scale(type="log", domain=domain, nice=False)
    below = alt.Axis(**axis, grid=False)
    x = alt.X(f"{place}:Q", title="anti-replay window (packets)", scale=scale, axis=below)
    percent = alt.Axis(values=[0, 25, 50, 75, 100], labelOverlap=False)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(domain=[0, 100]), axis=percent)
    base, color = alt.Chart(points), marks["color"]
    interval = base.mark_rule(strokeWidth=1.6, clip=True)
    layers = [
        alt.Chart(lines).mark_line(strokeWidth=1).encode(x=x, y=y, color=color),
        *([interval.encode(x=x, y="low:Q", y2="high:Q", color=color)] if "low" in points else []),
        base.mark_point(filled=True, size=30, opacity=1).encode(x=x, y=y, **marks),
    ]
    if default is not None:
        mark = alt.Chart(pd.DataFrame({place: [default], "text": ["default"]}))
        line = mark.mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=x)
        name = mark.mark_text(color=GREY, fontSize=8).encode(x=x, y=alt.value(-6), text="text:N")
        layers = [line, *layers, name]
    padding = {"left": 34, "right": right, "top": 14, "bottom": bottom}
    return printed(alt.layer(*layers), COLUMN, _HEIGHT, padding)

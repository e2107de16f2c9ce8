"""The paper's figure of the costs of suites, by the instructions that their code may use."""

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import keyed, nothing
from remeasure.paper.notebook.charts.theme import COLUMN, PALETTE, SHAPES, TWO_LINES

NAMES = {
    "aes128gcm16": "AES-128-GCM",
    "chacha20poly1305": "ChaCha20-Poly1305",
    "aes128-sha256": "AES-128-CBC, SHA-256",
    "3des-sha1": "3DES (do not deploy)",
}
"""suites in the figure -> their names there"""
_COST = [3, 150]
"""range of the axis [ns per byte]"""
_LEFT, _LABELS, _GAP = 32, 96, 10
"""widths of the axis, of the names to the right, and between panels [pt]"""
_HEIGHT = 122
"""of a panel [pt]"""
_LEAST = 0.21
"""distance of two names on the logarithmic axis [decades]"""


def suite_slopes(points: pd.DataFrame) -> alt.HConcatChart | alt.VConcatChart:
    """Processor time per byte by level of instructions, a line for each suite, in one column.
    `points` has columns panel (its title), level, suite, value, low, high [ns per byte] and origin,
    with panels and levels in their order. A line that crosses another one is a change of order."""
    points = points[points["suite"].isin(list(NAMES))]
    if points.empty:
        return nothing("None of the figure's suites was measured.", COLUMN)
    points = points.assign(name=points["suite"].map(NAMES))
    panels = list(dict.fromkeys(points["panel"]))
    width = (COLUMN - _LEFT - _LABELS - _GAP * (len(panels) - 1)) // len(panels)

    def of_panel(panel: str) -> alt.LayerChart:
        here = points[points["panel"] == panel]
        marks = _lines(here, labels=panel == panels[0])
        if panel == panels[-1]:
            marks = marks + _named(here, labels=panel == panels[0])
        title = alt.Title(panel, fontSize=8, anchor="middle", offset=4)
        open_side = alt.ViewBackground(stroke=None)
        return marks.properties(width=width, height=_HEIGHT, title=title, view=open_side)

    chart = alt.hconcat(*map(of_panel, panels), spacing=_GAP, bounds="flush")
    return chart.properties(padding=1)


def _axes(levels: list[str], labels: bool) -> tuple[alt.X, alt.Y]:
    below = alt.Axis(labelAngle=0, grid=False, labelExpr=TWO_LINES)
    scale = alt.Scale(domain=levels, padding=0.4)
    x = alt.X("level:N", title=None, axis=below, scale=scale)
    y = alt.Y(
        "value:Q",
        title="processor time (ns per byte)" if labels else None,
        scale=alt.Scale(type="log", domain=_COST, nice=False),
        axis=alt.Axis(values=[3, 10, 30, 100], labels=labels, ticks=labels, format="~g"),
    )
    return x, y


def _lines(here: pd.DataFrame, labels: bool) -> alt.LayerChart:
    """Lines, intervals and marks of one panel, with the numbers of its axis if `labels`."""
    x, y = _axes(list(dict.fromkeys(here["level"])), labels)
    ranges = {"color": PALETTE[:4], "shape": SHAPES[:4]}
    marks = keyed("name", list(NAMES.values()), ranges, legend=None)
    color = marks["color"]
    plain = alt.Chart(here.drop(columns="origin"))
    return (
        plain.mark_line(strokeWidth=1).encode(x=x, y=y, color=color)
        + plain.mark_rule(strokeWidth=1.6).encode(x=x, y="low:Q", y2="high:Q", color=color)
        + alt.Chart(here).mark_point(filled=True, size=28, opacity=1).encode(x=x, y=y, **marks)
    )


def _named(here: pd.DataFrame, labels: bool) -> alt.Chart:
    """The names of suites to the right of the last level, far enough from each other."""
    levels = list(dict.fromkeys(here["level"]))
    last = here[here["level"] == levels[-1]].sort_values("value")
    places: list[float] = []
    for value in last["value"]:
        places.append(max(value, places[-1] * 10**_LEAST if places else 0))
    names = alt.Chart(pd.DataFrame({"_place": places, "_name": list(last["name"])}))
    _, y = _axes(levels, labels)
    y.shorthand = "_place:Q"
    text = names.mark_text(align="left", dx=2, fontSize=8)
    return text.encode(x=alt.value("width"), y=y, text="_name:N")

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
_LEFT, _LABELS = 32, 96
"""widths of the axis, and of the names to the right [pt]"""
_HEIGHT = 122
"""of the plot [pt]"""
_LEAST = 0.21
"""distance of two names on the logarithmic axis [decades]"""
_TITLE = "ESP in the kernel"


def suite_slopes(points: pd.DataFrame) -> alt.HConcatChart | alt.VConcatChart:
    """Processor time per byte by level of instructions, a line for each suite, in one column.
    `points` has columns level, suite, value, low, high [ns per byte] and origin, with levels in
    their order. A line that crosses another one is a change of order."""
    points = points[points["suite"].isin(list(NAMES))]
    if points.empty:
        return nothing("None of the figure's suites was measured.", COLUMN)
    points = points.assign(panel=_TITLE, name=points["suite"].map(NAMES))
    levels = list(dict.fromkeys(points["level"]))
    below = alt.Axis(labelAngle=0, grid=False, labelExpr=TWO_LINES)
    x = alt.X("level:N", title=None, axis=below, scale=alt.Scale(domain=levels, padding=0.4))
    axis = alt.Axis(values=[3, 10, 30, 100], labels=True, ticks=True, format="~g")
    scale, title = alt.Scale(type="log", domain=_COST, nice=False), "processor time (ns per byte)"
    y, place = (alt.Y(f"{n}:Q", title=title, scale=scale, axis=axis) for n in ("value", "_place"))
    ranges = {"color": PALETTE[:4], "shape": SHAPES[:4]}
    marks = keyed("name", list(NAMES.values()), ranges, legend=None)
    color = marks["color"]
    plain = alt.Chart(points.drop(columns="origin"))
    names = alt.Chart(_places(points[points["level"] == levels[-1]]))
    text = names.mark_text(align="left", dx=2, fontSize=8)
    chart = (
        plain.mark_line(strokeWidth=1).encode(x=x, y=y, color=color)
        + plain.mark_rule(strokeWidth=1.6).encode(x=x, y="low:Q", y2="high:Q", color=color)
        + alt.Chart(points).mark_point(filled=True, size=28, opacity=1).encode(x=x, y=y, **marks)
        + text.encode(x=alt.value("width"), y=place, text="_name:N")
    ).properties(
        width=COLUMN - _LEFT - _LABELS,
        height=_HEIGHT,
        title=alt.Title(_TITLE, fontSize=8, anchor="middle", offset=4),
        view=alt.ViewBackground(stroke=None),
    )
    return alt.hconcat(chart, spacing=10, bounds="flush").properties(padding=1)


def _places(last: pd.DataFrame) -> pd.DataFrame:
    """The names of suites to the right of the last level, far enough from each other."""
    last, places = last.sort_values("value"), list[float]()
    for value in last["value"]:
        places.append(max(value, places[-1] * 10**_LEAST if places else 0))
    return pd.DataFrame({"_place": places, "_name": list(last["name"])})

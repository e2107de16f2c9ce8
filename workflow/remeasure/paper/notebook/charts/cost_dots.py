"""The paper's figure of the processor cost of suites: one panel per library and kind of
instructions."""

import altair as alt
import pandas as pd

from remeasure.paper.notebook.charts.figures import nothing
from remeasure.paper.notebook.charts.theme import PAGE, PALETTE, SHAPES

NAMES = {
    "aes128gcm16": "AES-128-GCM",
    "aes256gcm16": "AES-256-GCM",
    "chacha20poly1305": "ChaCha20-Poly1305",
    "aes128-sha1": "AES-128-CBC, SHA-1",
    "aes128-sha256": "AES-128-CBC, SHA-256",
    "aes256-sha1": "AES-256-CBC, SHA-1",
    "des-sha1": "DES-CBC, SHA-1",
    "3des-sha1": "3DES-CBC, SHA-1",
}
"""suites in the figure -> their names there, in its order"""
_KINDS = {"gcm": 0, "poly1305": 1, "des": 3}
"""part of a suite's name -> its colour and shape; others look as AES-CBC does"""
_CBC = 2
_LEFT, _GAP, _RIGHT = 97, 13, 7
"""width of the names of suites, between panels, and to the right of the last one [pt]"""
_STEP = 11
"""height of a row [pt]"""


def cost_dots(points: pd.DataFrame, unit: str) -> alt.HConcatChart | alt.VConcatChart:
    """Processor time per packet by suite, across the page.

    `points` has columns panel (two lines of title), suite, value, low, high and origin; panels are
    in the order of the rows. All panels share one logarithmic axis, which shows orders that reverse
    between panels.
    """
    points = points[points["suite"].isin(list(NAMES))]
    if points.empty:
        return nothing("None of the figure's suites was measured.", PAGE)
    points = points.assign(name=points["suite"].map(NAMES), kind=points["suite"].map(_kind))
    panels = list(dict.fromkeys(points["panel"]))
    gaps = _GAP * (len(panels) - 1)
    width = (PAGE - _LEFT - _RIGHT - gaps) // len(panels)
    scale = alt.Scale(
        type="log", domain=[0.8 * points["low"].min(), 1.25 * points["high"].max()], nice=False
    )

    def of_panel(name: str) -> alt.LayerChart:
        base = alt.Chart(points[points["panel"] == name])
        marks = _marks(base, scale, unit, labels=name == panels[0])
        rows = [name for name in NAMES.values() if name in set(points["name"])]
        title = alt.Title(name.split("\n"), fontSize=8.5, anchor="middle")
        return marks.properties(width=width, height=_STEP * len(rows), title=title)

    chart = alt.hconcat(*map(of_panel, panels), spacing=_GAP, bounds="flush")
    return chart.properties(padding={"left": 1, "right": 1, "top": 1, "bottom": 1})


def _kind(suite: str) -> str:
    return next((kind for kind in _KINDS if kind in suite), "cbc")


def _marks(base: alt.Chart, scale: alt.Scale, unit: str, labels: bool) -> alt.LayerChart:
    """The marks and intervals of one panel, with the names of its rows if `labels`."""
    axis = alt.Axis(labels=labels, ticks=False, grid=True, labelLimit=_LEFT)
    y = alt.Y("name:N", sort=list(NAMES.values()), title=None, axis=axis)
    ticks = alt.Axis(values=[10**power for power in range(1, 8)], format="~s", grid=True)
    low, x = (alt.X(f"{n}:Q", title=unit, scale=scale, axis=ticks) for n in ("low", "value"))
    looks = {*_KINDS.items(), ("cbc", _CBC)}
    domain = [kind for kind, _ in sorted(looks)]
    color, shape = (
        channel(
            "kind:N",
            legend=None,
            scale=alt.Scale(domain=domain, range=[values[i] for _, i in sorted(looks)]),
        )
        for channel, values in ((alt.Color, PALETTE), (alt.Shape, SHAPES))
    )
    interval = base.mark_rule(strokeWidth=1.4).encode(x=low, x2="high:Q", y=y, color=color)
    mark = base.mark_point(filled=True, size=30, opacity=1)
    return interval + mark.encode(x=x, y=y, color=color, shape=shape)

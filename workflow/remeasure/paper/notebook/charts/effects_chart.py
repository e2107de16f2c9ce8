"""The chart of the largest published effects beside ours: what README and the first page show.

Names are above their marks and not beside them, so that the chart can be as narrow as a phone. No
line crosses a name: the chart has no grid, and the line of no effect is drawn beside marks alone. A
name is nearer to its own marks than to the marks above it.
"""

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from remeasure.bench.claims.published import cited_as
from remeasure.paper.analysis import decisions
from remeasure.paper.notebook.charts.figures import DIRECTION_ONLY, VERDICT_MARKS, says_of_it
from remeasure.paper.notebook.charts.theme import GREY

THEIRS = "published"
"""what the key calls ratios of the studies"""
_KEY = "ours by our verdict, and published"
_RING = "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0ZM-.5,0A.5,.5,0,1,0,.5,0A.5,.5,0,1,0,-.5,0Z"
_CROSS = "M-1,-.5L-.5,-1L0,-.5L.5,-1L1,-.5L.5,0L1,.5L.5,1L0,.5L-.5,1L-1,.5L-.5,0Z"
_HALF = "M0,-1A1,1,0,0,0,0,1Z"
_FRAME = "M0,-1.4L1.4,0L0,1.4L-1.4,0ZM0,-1L-1,0L0,1L1,0Z"
SHAPES = {
    decisions.CONFIRMED: "circle",
    DIRECTION_ONLY: "triangle-right",
    decisions.OPPOSITE: _CROSS,
    decisions.NO_DIFFERENCE: "square",
    decisions.NOT_AS_STATED: _HALF,
    decisions.HIDDEN: "triangle-up",
    decisions.UNDECIDED: _RING,
    decisions.NOT_TESTABLE: "stroke",
    THEIRS: _FRAME,
}
"""what the key says of a mark -> its shape, as in the ledger; a diamond is for published ratios
alone"""
_LINE = 11
"""height of a line [pt]"""
_BELOW, _NEXT = 1.0, 2.6
"""distances of a name to its marks, and to the next name [lines]"""
_NO_EFFECT = 0.55
"""half the height of the line of no effect beside marks [lines]"""
_TICKS = [0.1, 0.2, 0.5, 1, 2, 5, 10]


def effects_chart(effects: pd.DataFrame, names: Mapping[str, str], width: int) -> alt.LayerChart:
    """Published ratios as diamonds, ours as dots with intervals, in the order of `names`.

    `effects` is the table of analysis.verdicts.ledger.effects; `names` has for each statement, by
    its id, what is compared in a few words. Statements without a name, or without an estimate, are
    left out. The verdict on a statement's direction gives our mark its colour and shape.
    """
    rows = effects.assign(id=effects["study"] + "-" + effects["row"], verdict=says_of_it(effects))
    rows = rows.set_index("id").reindex([name for name in names if name in set(rows["id"])])
    if rows.empty:
        says = pd.DataFrame({"says": ["No ratio has an interval: too few blocks."]})
        words = alt.Chart(says).mark_text().encode(text="says:N")
        return alt.LayerChart(layer=[words], width=width, height=40)
    rows = rows.reset_index().assign(name=lambda table: table["id"].map(names))
    heads, rows["_line"] = _lines(rows["study"])
    rows["_above"] = rows["_line"] - _BELOW
    rows["_from"], rows["_to"] = rows["_line"] - _NO_EFFECT, rows["_line"] + _NO_EFFECT
    lines = rows["_line"].max() + 1
    depth = alt.Scale(domain=[-0.8, lines - 0.3], reverse=True, nice=False, zero=False)
    layers = [*_marks(rows, depth), _words(rows, "name", depth), _words(heads, "_study", depth)]
    return alt.LayerChart(layer=layers, width=width, height=_LINE * (lines + 0.5))


def _lines(studies: pd.Series) -> tuple[pd.DataFrame, list[float]]:
    """The names of studies with the line of each, counted from the top; and the line
    of each row's marks, below the row's name."""
    heads: list[dict[str, Any]] = []
    lines: list[float] = []
    line = 0.0
    for study in map(cited_as, studies):
        if not heads or heads[-1]["_study"] != study:
            heads.append({"_study": study, "_above": line})
            line += 1.2
        lines.append(line + _BELOW)
        line += _NEXT
    return pd.DataFrame(heads), lines


def _words(rows: pd.DataFrame, column: str, depth: alt.Scale) -> alt.Chart:
    """What stands in `column`, at the left edge; names of studies in bold."""
    y = alt.Y("_above:Q", scale=depth, axis=None)
    text = alt.Chart(rows).mark_text(
        align="left",
        baseline="middle",
        fontSize=8,
        fontWeight="bold" if column == "_study" else "normal",
    )
    return text.encode(x=alt.value(4), y=y, text=f"{column}:N")


def _marks(rows: pd.DataFrame, depth: alt.Scale) -> list[alt.Chart]:
    """No effect, intervals, our ratios and the published ones, from back to front."""
    numbers = rows[["ratio_low", "ratio_high", "published"]]
    ends = [0.9 * numbers.min().min(), 1.1 * numbers.max().max()]
    scale = alt.Scale(type="log", domain=ends, nice=False)
    axis = alt.Axis(values=_TICKS, format="~g", grid=False)
    low, ratio, published = (
        alt.X(f"{column}:Q", title="ratio", scale=scale, axis=axis)
        for column in ("ratio_low", "ratio", "published")
    )
    used = [one for one in VERDICT_MARKS if one in set(rows["verdict"])]
    color, shape = _keys([*used, THEIRS])
    base = alt.Chart(rows).encode(y=alt.Y("_line:Q", scale=depth, axis=None))
    theirs = base.transform_calculate(verdict_of="datum.verdict", verdict=f"'{THEIRS}'")
    no_effect = alt.Chart(rows).mark_rule(color=GREY, strokeDash=[3, 2])
    return [
        no_effect.encode(x=alt.datum(1), y=alt.Y("_from:Q", scale=depth, axis=None), y2="_to:Q"),
        base.mark_rule(strokeWidth=2.2).encode(x=low, x2="ratio_high:Q", color=color),
        base.mark_point(size=44, filled=True, opacity=1).encode(
            x=ratio, color=color, shape=shape, tooltip=_tooltip("verdict")
        ),
        theirs.mark_point(size=44, filled=True, opacity=1).encode(
            x=published, color=color, shape=shape, tooltip=_tooltip("verdict_of")
        ),
    ]


def _keys(kinds: list[str]) -> tuple[alt.Color, alt.Shape]:
    """Colour and shape of the marks of `kinds`, which share one key."""
    legend = alt.Legend(columns=1, labelLimit=300, orient="bottom", symbolStrokeWidth=0)
    colors = [VERDICT_MARKS.get(kind, "black") for kind in kinds]
    shapes = [SHAPES[kind] for kind in kinds]
    return (
        alt.Color(
            "verdict:N", title=_KEY, scale=alt.Scale(domain=kinds, range=colors), legend=legend
        ),
        alt.Shape(
            "verdict:N", title=_KEY, scale=alt.Scale(domain=kinds, range=shapes), legend=legend
        ),
    )


def _tooltip(verdict: str) -> list[alt.Tooltip]:
    numbers = {"ratio": "measured", "ratio_low": "from", "ratio_high": "to"}
    return [
        alt.Tooltip("name:N", title="ratio"),
        alt.Tooltip(f"{verdict}:N", title="verdict"),
        *(alt.Tooltip(f"{of}:Q", title=title, format=".3f") for of, title in numbers.items()),
        alt.Tooltip("published:Q", format=".3f"),
    ]

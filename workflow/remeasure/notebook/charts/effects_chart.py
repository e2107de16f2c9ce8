"""The chart of the largest published effects beside ours: what README and the first page show.

Names are above their marks and not beside them, so that the chart can be as narrow as a phone. No
line crosses a name: the chart has no grid, and the line of no effect is drawn beside marks alone. A
name is nearer to its own marks than to the marks above it.
"""

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from remeasure.claims.published import cited_as
from remeasure.notebook.charts.figures import VERDICT_MARKS, says_of_it
from remeasure.notebook.charts.theme import GREY

OURS, THEIRS = "measured here, with its 95 % interval", "published"
_FILL = f"datum.label === '{THEIRS}' ? 'transparent' : 'black'"
_LINE = 11
"""height of a line [pt]"""
_BELOW, _NEXT = 1.0, 2.6
"""distances of a name to its marks, and to the next name [lines]"""
_NO_EFFECT = 0.55
"""half the height of the line of no effect beside marks [lines]"""
_TICKS = [0.1, 0.2, 0.5, 1, 2, 5, 10]


def effects_chart(effects: pd.DataFrame, names: Mapping[str, str], width: int) -> alt.LayerChart:
    """Published ratios as diamonds, ours as dots with intervals, in the order of `names`.

    `effects` is the table of analysis.ledger.effects; `names` has for each statement, by its id,
    what is compared in a few words. Statements without a name, or without an estimate, are left
    out. The colour of ours is the verdict on the statement's direction.
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
    # One key above and one below: side by side they would be wider than a phone.
    color = alt.Color(
        "verdict:N",
        title="our verdict",
        scale=alt.Scale(domain=used, range=[VERDICT_MARKS[one] for one in used]),
        legend=alt.Legend(columns=1, labelLimit=300, orient="bottom"),
    )
    shape = _shape()
    base = alt.Chart(rows).encode(y=alt.Y("_line:Q", scale=depth, axis=None))
    ours, theirs = (base.transform_calculate(kind=f"'{kind}'") for kind in (OURS, THEIRS))
    diamond = theirs.mark_point(size=70, strokeWidth=1.4, color="black", opacity=1)
    no_effect = alt.Chart(rows).mark_rule(color=GREY, strokeDash=[3, 2])
    return [
        no_effect.encode(
            x=alt.datum(1),
            y=alt.Y("_from:Q", scale=depth, axis=None),
            y2="_to:Q",
        ),
        base.mark_rule(strokeWidth=2.2).encode(x=low, x2="ratio_high:Q", color=color),
        ours.mark_point(size=44, filled=True, opacity=1).encode(
            x=ratio, color=color, shape=shape, tooltip=_tooltip()
        ),
        diamond.encode(x=published, shape=shape, tooltip=_tooltip()),
    ]


def _shape() -> alt.Shape:
    """Ours and theirs. The key has the marks as they are drawn: ours filled, theirs hollow."""
    legend = alt.Legend(
        columns=1, labelLimit=300, symbolFillColor=alt.ExprRef(_FILL), symbolStrokeColor="black"
    )
    scale = alt.Scale(domain=[OURS, THEIRS], range=["circle", "diamond"])
    return alt.Shape("kind:N", title=None, scale=scale, legend=legend)


def _tooltip() -> list[alt.Tooltip]:
    numbers = {"ratio": "measured", "ratio_low": "from", "ratio_high": "to"}
    return [
        alt.Tooltip("name:N", title="ratio"),
        alt.Tooltip("verdict:N"),
        *(alt.Tooltip(f"{of}:Q", title=title, format=".3f") for of, title in numbers.items()),
        alt.Tooltip("published:Q", format=".3f"),
    ]

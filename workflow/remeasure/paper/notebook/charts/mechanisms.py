"""The first figure of paper, README and site: published and measured effects, by mechanism. Lengths
are in points, at the size of print. Statements are in columns of their own to the left of the plot,
since an axis of names would set them flush right."""

from typing import Any

import altair as alt
import pandas as pd

from remeasure.bench.claims.published import OURS, cited_as
from remeasure.paper.analysis import decisions
from remeasure.paper.notebook.charts.figures import keyed, nothing
from remeasure.paper.notebook.charts.theme import GREY, PAGE, PALETTE, printed
from remeasure.paper.words import words_of

ROWS = {
    mechanism: {name.partition(", ")[::2]: label for name, label in rows.items()}
    for mechanism, rows in words_of(__file__).items()
}
"""comparison -> (claim, part of it) -> ratio in words, in the order of the figure"""
_PUBLISHED = "published"
NO_STUDY = "ours only"
"""in place of a verdict: we measured this ratio, and no study states it"""
_DIRECTION_ONLY = f"{decisions.CONFIRMED}: direction only; size outside"
"""name of a confirmed statement whose published number lies outside our interval"""
MARKS = {
    _PUBLISHED: ("diamond", "black", "transparent"),
    decisions.CONFIRMED: ("circle", PALETTE[2], PALETTE[2]),
    _DIRECTION_ONLY: ("triangle-right", PALETTE[2], "white"),
    decisions.NO_DIFFERENCE: ("square", PALETTE[0], PALETTE[0]),
    decisions.NOT_AS_STATED: ("triangle-up", PALETTE[4], PALETTE[4]),
    decisions.OPPOSITE: ("triangle-down", PALETTE[3], PALETTE[3]),
    decisions.HIDDEN: ("cross", PALETTE[1], PALETTE[1]),
    decisions.UNDECIDED: ("circle", GREY, "white"),
    decisions.NOT_TESTABLE: ("square", GREY, "white"),
    NO_STUDY: ("square", "black", "black"),
}
"""mark in the key -> its shape, the colour of its line and of its inside"""
_LEFT, _RIGHT, _TOP, _BOTTOM = 282, 6, 19, 29
"""space around the plot, with the statements to its left [pt]"""
_STUDY = -70
"""where the column of studies begins [pt]"""
_STEP = 11
"""height of a row [pt]"""
_APART = 2.4
"""published marks are so far above the middle of a row, and ours below [pt]"""


def chosen(effects: pd.DataFrame) -> pd.DataFrame:
    """The rows of analysis.verdicts.ledger.effects that the figure shows, in its order, with
    columns mechanism and label. A statement without an interval has no row."""
    by_name = {
        (f"{row.study}-{row.row.partition(' (')[0]}", row.brief): row._asdict()
        for row in effects.itertuples(index=False)
    }
    found = [
        by_name[name] | {"mechanism": mechanism, "label": label}
        for mechanism, rows in ROWS.items()
        for name, label in rows.items()
        if name in by_name
    ]
    return pd.DataFrame(found)


def by_mechanism(effects: pd.DataFrame) -> alt.LayerChart | alt.VConcatChart:
    """Published and measured ratios of `chosen` statements, across the page; without one, a
    sentence instead. `effects` is a table of analysis.verdicts.ledger.effects."""
    rows = chosen(effects)
    if rows.empty:
        return nothing("No statement of the figure has an interval: too few blocks.", PAGE)
    only_direction = (rows["verdict"] == decisions.CONFIRMED) & (rows["size"] == decisions.OUTSIDE)
    rows["key"] = rows["verdict"].mask(only_direction, _DIRECTION_ONLY)
    rows["claim"] = rows["row"]
    places: list[Any] = []
    for mechanism, own in rows.groupby("mechanism", sort=False):
        places += [mechanism, *own.index]
    rows["y"] = [places.index(index) for index in rows.index]
    heads = pd.DataFrame({"text": list(ROWS)}).query("text in @places")
    heads["y"] = [places.index(text) for text in heads["text"]]
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-0.6, len(places) - 0.4], reverse=True))
    across = alt.Chart(rows).mark_rule(color="#ececec").encode(y=y)
    none = alt.Chart(pd.DataFrame({"one": [1]})).mark_rule(color=GREY, strokeDash=[3, 2])
    no_effect = none.encode(x=alt.X("one:Q", scale=_scale(rows)))
    layers = [across, no_effect, *_words(rows, heads, y), *_points(rows, y)]
    padding = {"left": _LEFT, "right": _RIGHT, "top": _TOP, "bottom": _BOTTOM}
    height = round(_STEP * len(places)) + _TOP + _BOTTOM
    return printed(alt.layer(*layers), PAGE, height, padding)


def _scale(rows: pd.DataFrame) -> alt.Scale:
    numbers = rows[["ratio_low", "ratio_high", "published"]]
    low, high = 0.93 * numbers.min().min(), 1.08 * numbers.max().max()
    return alt.Scale(type="log", domain=[low, high], nice=False)


def _words(rows: pd.DataFrame, heads: pd.DataFrame, y: alt.Y) -> list[alt.Chart]:
    cited = [one if one == OURS else cited_as(one) for one in rows["study"]]
    studies = rows.drop(columns="origin").assign(cited=cited)
    head = alt.Chart(heads).mark_text(align="left", fontSize=8, fontWeight="bold")
    says = alt.Chart(studies).mark_text(align="left", fontSize=8)
    study = alt.Chart(studies).mark_text(align="left", fontSize=8, color=GREY)
    return [
        head.encode(x=alt.value(2 - _LEFT), y=y, text="text:N"),
        says.encode(x=alt.value(10 - _LEFT), y=y, text="label:N"),
        study.encode(x=alt.value(_STUDY), y=y, text="cited:N"),
    ]


def _points(rows: pd.DataFrame, y: alt.Y) -> list[alt.Chart]:
    values = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10]
    x = alt.X(
        "ratio:Q",
        title="← first is smaller · ratio · first is larger →",
        scale=_scale(rows),
        axis=alt.Axis(values=values, format="~g", grid=False),
    )
    key = _key(rows)
    tooltip = [
        alt.Tooltip("label:N", title="ratio of"),
        alt.Tooltip("ratio:Q", title="measured", format=".3f"),
        alt.Tooltip("published:Q", format=".3f"),
    ]
    theirs = rows.dropna(subset="published").drop(columns="origin")
    theirs = theirs.assign(ratio=theirs["published"], key=_PUBLISHED)
    low = alt.X("ratio_low:Q", scale=_scale(rows))
    interval = alt.Chart(rows).mark_rule(strokeWidth=1.5, yOffset=_APART, y2Offset=_APART)
    layers = [interval.encode(x=low, x2="ratio_high:Q", y=y, stroke=key["stroke"])]
    for table, size, below in ((rows, 30, _APART), (theirs, 30, -_APART)):
        mark = alt.Chart(table).mark_point(size=size, opacity=1, strokeWidth=1, yOffset=below)
        layers.append(mark.encode(x=x, y=y, tooltip=tooltip, **key))
    return layers


def _key(rows: pd.DataFrame) -> dict[str, Any]:
    """Encodings that distinguish verdicts and published values, with one key for all."""
    used = [key for key in MARKS if key == _PUBLISHED or key in set(rows["key"])]
    shapes, lines, fills = zip(*(MARKS[key] for key in used), strict=True)
    legend = alt.Legend(
        title=None,
        orient="none",
        legendX=-_LEFT,
        legendY=2 - _TOP,
        direction="horizontal",
        columnPadding=7,
        symbolSize=38,
    )
    ranges = {"shape": shapes, "stroke": lines, "fill": fills}
    return keyed("key", used, ranges, legend=legend)

"""The kinds of charts that the paper uses."""

import textwrap

import altair as alt
import pandas as pd

from remeasure.analysis.decisions import (
    CONFIRMED,
    HIDDEN,
    NO_DIFFERENCE,
    NOT_TESTABLE,
    OPPOSITE,
    UNDECIDED,
    VERDICTS,
)
from remeasure.analysis.estimates import Estimate
from remeasure.publish.theme import GREY, PALETTE, SHAPES


def level_color(levels: list[str], title: str) -> dict:
    """Encodings that tell the levels of one factor apart by colour and shape alike."""
    colors = alt.Scale(domain=levels, range=PALETTE)
    shapes = alt.Scale(domain=levels, range=SHAPES)
    return {
        "color": alt.Color("level:N", title=title, scale=colors),
        "shape": alt.Shape("level:N", title=title, scale=shapes),
    }


def points_and_intervals(
    points: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    levels: list[str],
    legend: str,
    x_title: str,
    width: int,
    row_step: int = 18,
    scale: alt.Scale | None = None,
    rule: float | None = None,
    band: Estimate | None = None,
) -> alt.LayerChart:
    """A chart with every trial as a faint mark, and the estimate with its interval over the marks.

    `points` has columns row, level, value; `cells` has columns row, level, value, low, high, and
    origin if they are estimates. Each quantity has one row of the chart, with levels side by side
    within it. An interval that leaves the `scale` is cut at its edge. A dashed line is drawn at
    `rule`, and the interval of `band` is shaded.
    """
    y = alt.Y(
        "row:N",
        title=None,
        sort=list(dict.fromkeys(cells["row"])),
        axis=alt.Axis(labelLimit=160, grid=False),
    )
    offset = alt.YOffset("level:N", sort=levels)
    x = alt.X("value:Q", title=x_title, scale=scale or alt.Scale(zero=False))
    marks = level_color(levels, legend)
    raw = (
        alt.Chart(points)
        .mark_point(size=14, opacity=0.35, strokeWidth=0.8)
        .encode(x=x, y=y, yOffset=offset, **marks)
    )
    interval = (
        alt.Chart(cells)
        .mark_rule(strokeWidth=1.6, clip=True)
        .encode(
            x=alt.X("low:Q", title=x_title), x2="high:Q", y=y, yOffset=offset, color=marks["color"]
        )
    )
    estimate = (
        alt.Chart(cells)
        .mark_point(size=42, filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            yOffset=offset,
            **marks,
            tooltip=[
                "row",
                "level",
                alt.Tooltip("value", format=".4g"),
                alt.Tooltip("low", format=".4g"),
                alt.Tooltip("high", format=".4g"),
            ],
        )
    )
    layers = [raw, interval, estimate]
    if rule is not None:
        line = alt.Chart().mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=alt.datum(rule))
        layers.insert(0, line)
    if band is not None:
        shade = alt.Chart(pd.DataFrame([band.columns()])).mark_rect(
            color=GREY, opacity=0.15, clip=True
        )
        between = alt.X("low:Q", title=x_title, scale=scale or alt.Scale(zero=False))
        layers.insert(0, shade.encode(x=between, x2="high:Q"))
    return alt.LayerChart(layer=layers, width=width, height=alt.Step(row_step / 2))


def published_and_measured(table: pd.DataFrame, width: int, x_title: str) -> alt.LayerChart:
    """A chart of measured ratios with intervals, and the published ratio of the same comparison.

    `table` has columns row, panel, ratio, ratio_low, ratio_high, origin (of the ratio), published.
    """
    order = list(dict.fromkeys(table["row"]))
    y = alt.Y("row:N", title=None, sort=order, axis=alt.Axis(labelLimit=180, grid=True))
    scale = alt.Scale(type="log")
    base = alt.Chart(table)
    one = base.mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=alt.datum(1))
    interval = base.mark_rule(strokeWidth=1.8, color=PALETTE[0]).encode(
        x=alt.X("ratio_low:Q", title=x_title, scale=scale), x2="ratio_high:Q", y=y
    )
    tooltip = [
        "panel",
        "row",
        alt.Tooltip("ratio", format=".3f"),
        alt.Tooltip("ratio_low", format=".3f"),
        alt.Tooltip("ratio_high", format=".3f"),
        alt.Tooltip("published", format=".3f"),
    ]
    source = alt.Color(
        "source:N",
        title=None,
        scale=alt.Scale(
            domain=["measured here, 95 % interval", "published"], range=[PALETTE[0], PALETTE[3]]
        ),
    )
    shape = alt.Shape(
        "source:N",
        title=None,
        scale=alt.Scale(
            domain=["measured here, 95 % interval", "published"], range=["circle", "diamond"]
        ),
    )
    measured = (
        base.transform_calculate(source="'measured here, 95 % interval'")
        .mark_point(size=44, filled=True, opacity=1)
        .encode(x=alt.X("ratio:Q", scale=scale), y=y, color=source, shape=shape, tooltip=tooltip)
    )
    published = (
        base.transform_calculate(source="'published'")
        .mark_point(size=44, strokeWidth=1.6, filled=False)
        .encode(
            x=alt.X("published:Q", scale=scale), y=y, color=source, shape=shape, tooltip=tooltip
        )
    )
    return (one + interval + published + measured).properties(width=width, height=alt.Step(12))


VERDICT_COLORS = {
    CONFIRMED: PALETTE[2],
    OPPOSITE: PALETTE[3],
    NO_DIFFERENCE: PALETTE[0],
    HIDDEN: PALETTE[1],
    UNDECIDED: GREY,
    NOT_TESTABLE: "#bbbbbb",
}
"""verdict on a direction -> its colour"""
DIRECTION_ONLY = f"{CONFIRMED}: direction only; size outside"
"""what a confirmed statement is called whose published number lies outside our interval"""
_MARKS = {CONFIRMED: VERDICT_COLORS[CONFIRMED], DIRECTION_ONLY: "#7fc8a9"} | VERDICT_COLORS
"""what the legend of `forest` says of a row -> its colour"""
_ROW = 74
"""most characters of a line of a statement"""


def forest(effects: pd.DataFrame, width: int) -> alt.VConcatChart:
    """Every published ratio beside ours, one panel for each study; all panels have one scale.

    `effects` is the table of analysis.ledger.effects. Each row is a statement in words. The colour
    of our estimate is the verdict on the statement's direction; one that is confirmed while the
    published number lies outside our interval has a colour of its own (DIRECTION_ONLY). The
    published ratio is a diamond. Without a row there is a sentence instead.
    """
    if effects.empty:
        return _nothing("No ratio has an interval: every scenario has too few blocks.", width)
    numbers = effects[["ratio_low", "ratio_high", "published"]]
    scale = alt.Scale(
        type="log", domain=[0.9 * numbers.min().min(), 1.1 * numbers.max().max()], nice=False
    )
    effects = effects.assign(says_of_it=_says_of_it(effects))
    used = [mark for mark in _MARKS if mark in set(effects["says_of_it"])]
    color = alt.Color(
        "says_of_it:N",
        title="statement",
        scale=alt.Scale(domain=used, range=[_MARKS[mark] for mark in used]),
        legend=alt.Legend(labelLimit=400, columns=1),
    )
    studies = list(dict.fromkeys(effects["study"]))
    tooltip = [
        alt.Tooltip("row", title="statement"),
        alt.Tooltip("says_of_it", title="verdict"),
        alt.Tooltip("ratio", title="measured", format=".3f"),
        alt.Tooltip("ratio_low", title="from", format=".3f"),
        alt.Tooltip("ratio_high", title="to", format=".3f"),
        alt.Tooltip("published", format=".3f"),
    ]

    def of_study(study: str) -> alt.LayerChart:
        table = effects[effects["study"] == study]
        # Whoever asks for a mark can type the name of a statement, not a sentence of several lines.
        base = alt.Chart(table.assign(claim=table["row"], row=_sentences(table)))
        y = alt.Y(
            "row:N",
            title=None,
            sort=None,
            axis=alt.Axis(labelExpr="split(datum.label, '\\n')", labelLimit=400, grid=True),
        )
        last = study == studies[-1]
        axis = alt.Axis(values=[0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100], format="~g", labels=last)
        x, low, published = (
            alt.X(f"{name}:Q", title="ratio" if last else None, scale=scale, axis=axis)
            for name in ("ratio", "ratio_low", "published")
        )
        diamond = base.mark_point(
            shape="diamond", size=70, strokeWidth=1.4, color="black", opacity=1
        )
        layers = (
            base.mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=alt.datum(1))
            + base.mark_rule(strokeWidth=2.2).encode(x=low, x2="ratio_high:Q", y=y, color=color)
            + base.mark_point(size=40, filled=True, opacity=1).encode(
                x=x, y=y, color=color, tooltip=tooltip
            )
            + diamond.encode(x=published, y=y, tooltip=tooltip)
        )
        return layers.properties(width=width, height=alt.Step(step), title=study)

    lines = max(text.count("\n") + 1 for text in _sentences(effects))
    step = 10 * lines + 1
    return alt.vconcat(*map(of_study, studies), spacing=0)


def _nothing(sentence: str, width: int) -> alt.VConcatChart:
    """A sentence in place of a chart."""
    nothing = alt.Chart(pd.DataFrame({"says": [sentence]}), width=width, height=40)
    return alt.vconcat(nothing.mark_text().encode(text="says:N"))


def specifications(shown: pd.DataFrame, width: int) -> alt.VConcatChart:
    """Statements under every combination of choices, one panel for each: a row for each estimator,
    our interval, and the verdict that most bounds and corrections lead to, within a ring of another
    one that some lead to.

    `shown` has columns id, statement, estimator, value, low, high, verdict; see
    analysis.choices.Analyst.specifications.
    """
    shown = shown.dropna(subset=["low", "high"])
    if shown.empty:
        return _nothing("No statement has an interval: every scenario has too few blocks.", width)
    used = [verdict for verdict in VERDICTS if verdict in set(shown["verdict"])]
    color = alt.Color(
        "verdict:N",
        title="verdict",
        scale=alt.Scale(domain=used, range=[VERDICT_COLORS[verdict] for verdict in used]),
    )
    order = list(dict.fromkeys(shown["estimator"]))
    y = alt.Y("estimator:N", title=None, sort=order, axis=alt.Axis(grid=True, labelLimit=280))
    often = ["id", "estimator", "verdict"]
    counted = shown.assign(times=shown.groupby(often)["verdict"].transform("size"))
    one = counted.drop_duplicates(often).sort_values("times", kind="stable")
    most = one.drop_duplicates(["id", "estimator"], keep="last")
    others = one.drop(most.index).drop_duplicates(["id", "estimator"], keep="last")

    def of_statement(claim: str) -> alt.LayerChart | alt.FacetChart:
        own, rest = (table[table["id"] == claim] for table in (most, others))
        x = alt.X("low:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5))
        title = textwrap.wrap(own["statement"].iloc[0], _ROW)
        at = {"x": alt.X("value:Q"), "y": y, "color": color}
        # A layer without rows would have no extent, which a browser complains of.
        rings = [(table, size) for table, size in ((rest, 90), (own, 26)) if len(table)]
        marks = [
            alt.Chart(table).mark_point(filled=True, size=size, opacity=1).encode(**at)
            for table, size in rings
        ]
        interval = alt.Chart(own).mark_rule(strokeWidth=1.4, color=GREY)
        return alt.layer(interval.encode(x=x, x2="high:Q", y=y), *marks).properties(
            width=width, height=alt.Step(12), title=title
        )

    return alt.vconcat(*map(of_statement, dict.fromkeys(shown["id"])), spacing=4)


def _says_of_it(effects: pd.DataFrame) -> pd.Series:
    """What the legend says of each row."""
    only = (effects["verdict"] == CONFIRMED) & ~effects["held"].astype(bool)
    return effects["verdict"].mask(only, DIRECTION_ONLY)


def _sentences(table: pd.DataFrame) -> list[str]:
    """Each statement in lines that fit beside the chart, with what tells its parts apart."""
    texts = [
        f"{row.says.rstrip('.')} ({row.brief})" if row.brief else row.says
        for row in table.itertuples()
    ]
    return ["\n".join(textwrap.wrap(text, _ROW)) for text in texts]


def intervals(table: pd.DataFrame, row: str, *, x_title: str, rule: float) -> alt.LayerChart:
    """A chart of values with their intervals, one row for each, and a dashed line at `rule`.

    `table` has the column that `row` names, and columns value, low, high, origin.
    """
    base = alt.Chart(table)
    y = alt.Y(f"{row}:N", sort=list(dict.fromkeys(table[row])), title=None)
    x = alt.X("low:Q", title=x_title, scale=alt.Scale(zero=False))
    return (
        base.mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=alt.datum(rule))
        + base.mark_rule(strokeWidth=1.4).encode(x=x, x2="high:Q", y=y)
        + base.mark_point(filled=True, size=22, opacity=1).encode(x="value:Q", y=y)
    )

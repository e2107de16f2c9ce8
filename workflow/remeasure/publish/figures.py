"""The kinds of charts that the paper uses."""

import altair as alt
import pandas as pd

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
    band: tuple[float, float] | None = None,
) -> alt.LayerChart:
    """A chart with every trial as a faint mark, and the estimate with its interval over the marks.

    `points` has columns row, level, value; `cells` has columns row, level, value, low, high. Each
    quantity has one row of the chart, with levels side by side within it. An interval that leaves
    the `scale` is cut at its edge. A dashed line is drawn at `rule`, and what lies between the ends
    of `band` is shaded.
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
    layers = raw + interval + estimate
    if rule is not None:
        layers = (
            alt.Chart().mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=alt.datum(rule)) + layers
        )
    if band is not None:
        ends = pd.DataFrame([dict(zip(("low", "high"), band, strict=True))])
        shade = alt.Chart(ends).mark_rect(color=GREY, opacity=0.15, clip=True)
        between = alt.X("low:Q", title=x_title, scale=scale or alt.Scale(zero=False))
        layers = shade.encode(x=between, x2="high:Q") + layers
    return layers.properties(width=width, height=alt.Step(row_step / 2))


def published_and_measured(table: pd.DataFrame, width: int, x_title: str) -> alt.LayerChart:
    """A chart of measured ratios with intervals, and the published ratio of the same comparison.

    `table` has columns row, panel, ratio, ratio_low, ratio_high, published.
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


def forest(effects: pd.DataFrame, columns: int, width: int) -> alt.HConcatChart:
    """Charts of `published_and_measured`, one panel for each study, in `columns` of about the same
    height.

    `effects` is the table of analysis.ledger.effects: studies in order, with columns study, row,
    ratio, ratio_low, ratio_high, published.
    """
    rows = effects.groupby("study", sort=False).size() + 4  # what title and axis take
    # All studies in one column, cut into equal parts, would put the middle of each study into one
    # part: the study goes into that column.
    places = ((rows.cumsum() - rows / 2) * columns / rows.sum()).astype(int)

    def of_study(study: str) -> alt.LayerChart:
        chosen = effects[effects["study"] == study].assign(panel=study)
        return published_and_measured(chosen, width, "ratio").properties(title=study)

    return alt.hconcat(
        *(
            alt.vconcat(*map(of_study, places.index[places == place]), spacing=8)
            for place in sorted(set(places))
        ),
        spacing=14,
    )


def intervals(table: pd.DataFrame, row: str, *, x_title: str, rule: float) -> alt.LayerChart:
    """A chart of values with their intervals, one row for each, and a dashed line at `rule`.

    `table` has the column that `row` names, and columns value, low, high.
    """
    base = alt.Chart(table)
    y = alt.Y(f"{row}:N", sort=list(dict.fromkeys(table[row])), title=None)
    x = alt.X("low:Q", title=x_title, scale=alt.Scale(zero=False))
    return (
        base.mark_rule(color=GREY, strokeDash=[3, 2]).encode(x=alt.datum(rule))
        + base.mark_rule(strokeWidth=1.4).encode(x=x, x2="high:Q", y=y)
        + base.mark_point(filled=True, size=22, opacity=1).encode(x="value:Q", y=y)
    )

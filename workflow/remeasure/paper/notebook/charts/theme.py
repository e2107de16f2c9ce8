"""One look for all figures: readable in print at column width, and without colour vision. Two
levels differ in hue (Okabe and Ito's palette), in lightness and in the shape of the mark. For a
document class with other widths, change COLUMN and PAGE here; no notebook needs a change."""

from typing import Any

import altair as alt

from remeasure.paper.digits import rounded_chart
from remeasure.paper.notebook.pictures import svg_of, use_tables
from remeasure.paper.notebook.trace.origins_record import PLAIN
from remeasure.paper.words import words_of

COLUMN = 252
"""width of one column of the paper [pt]"""
PAGE = 516
"""width of both columns and of the space between them [pt]"""
NUMBERS = 42
"""width of an axis of numbers with its title [pt]"""
NAMES = 90
"""width of an axis of names: suites, methods, quantities [pt]"""
LONG_NAMES = 125
"""width of an axis of names of several words [pt]"""
SHARED = 28
"""width next to each of several panels that share one axis [pt]"""
PALETTE = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"]
"""for words, which need more contrast than marks, the site has "#9A6700" in place of PALETTE[1]"""
GREY = "#666666"
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""three names of letters of one width, for the machines that have one of them"""
_SPACE = "indexof(datum.label, ' ')"
TWO_LINES = (
    f"{_SPACE} < 0 ? datum.label : "
    f"[slice(datum.label, 0, {_SPACE}), slice(datum.label, {_SPACE} + 1)]"
)
"""Vega expression of a label that is broken at its first space"""
SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"]
_THEME = words_of(__file__)


def panel(width: int, columns: int = 1, *, beside: int) -> int:
    """Width of the plot of one of `columns` panels across `width` [pt]; `beside` is the width of
    its axis and of the space to the next panel [pt]."""
    return width // columns - beside


def printed(chart: Any, width: int, height: int, padding: dict[str, int]) -> Any:
    """The chart, of one view, at exactly `width` times `height` with `padding` around its plot
    [pt]. Axes, legends and texts next to the plot must fit into the padding."""
    return chart.properties(
        width=width - padding["left"] - padding["right"],
        height=height - padding["top"] - padding["bottom"],
        padding=padding,
        autosize="none",
    )


def use_theme() -> None:
    """Make every later chart of a notebook follow the theme, and every table show as in
    notebook.pictures. Charts show as SVG: a page must be readable without scripts."""
    alt.renderers.register("remeasure", lambda of: {"image/svg+xml": svg_of(rounded_chart(of))})
    alt.renderers.enable("remeasure")
    use_tables()
    alt.data_transformers.enable(PLAIN)

    @alt.theme.register("remeasure", enable=True)
    def _theme() -> alt.theme.ThemeConfig:
        colours = {"category": PALETTE, "symbol": SHAPES}
        config: Any = {"font": FONT, **_THEME, "range": colours}
        for part in ("axis", "legend", "header"):
            config[part] = {"font": FONT, "labelFont": FONT, "titleFont": FONT} | _THEME[part]
        config["title"] = {"font": FONT} | _THEME["title"]
        return {"config": config}

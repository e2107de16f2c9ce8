"""One look for every figure: readable in print at column width, and without colour vision.

Two levels differ in hue (Okabe and Ito's palette), in lightness and in the shape of the mark.
"""

import altair as alt

COLUMN = 252
"""points: one column of the paper (3.5 in)"""
PALETTE = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"]
GREY = "#666666"
SHAPES = ["circle", "square", "triangle-up", "diamond"]


def use_theme() -> None:
    """Make every chart from now on follow the theme, and show as SVG in a notebook: a page must be
    readable without a network (the interactive forms are files of their own)."""
    alt.renderers.enable("svg")

    @alt.theme.register("remeasure", enable=True)
    def _theme() -> alt.theme.ThemeConfig:
        text = {
            "font": "Liberation Sans",
            "labelFont": "Liberation Sans",
            "titleFont": "Liberation Sans",
        }
        sizes = {"labelFontSize": 8, "titleFontSize": 8.5, "titleFontWeight": "normal"}
        return {
            "config": {
                "font": "Liberation Sans",
                "background": "white",
                "view": {"stroke": "#bbbbbb"},
                "axis": {
                    **text,
                    **sizes,
                    "gridColor": "#ececec",
                    "domainColor": "#888888",
                    "tickColor": "#888888",
                },
                "legend": {**text, **sizes, "orient": "top", "symbolSize": 40, "offset": 4},
                "header": {**text, **sizes, "labelFontWeight": "bold"},
                "title": {"font": "Liberation Sans", "fontSize": 9, "anchor": "start"},
                "range": {"category": PALETTE, "symbol": SHAPES},
            }
        }

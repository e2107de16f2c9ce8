"""A figure on a page: the picture, with its caption, which also describes it to whoever cannot see
it. On the site a script draws the chart with tooltips in its place (site/_static/charts.js)."""

import html
import re

SCALE = 13 / 8
"""size of a figure on a page over that in the paper, whose type has 8 points: 13 px on a page"""


def figure_html(name: str, chart: str, svg: str, says: str) -> str:
    """The HTML of a figure; `name` is unique on its page, `chart` the name of its files, and `says`
    tells in a sentence or two what it shows."""
    return (
        f'<figure class="chart" id="{name}" data-chart="{chart}">\n{_described(name, svg)}\n'
        f'<figcaption id="{name}-says">{html.escape(says)}</figcaption>\n</figure>'
    )


def _described(name: str, svg: str) -> str:
    """The picture in the size of a page, which the caption describes."""
    head = re.match(r"<svg[^>]*>", svg)
    if head is None:
        raise ValueError(f"figure {name}: found {svg[:40]!r}, expected an SVG")
    opening = re.sub(
        r'\b(width|height)="([\d.]+)"',
        lambda match: f'{match[1]}="{float(match[2]) * SCALE:.0f}"',
        head[0],
    )
    return f'{opening[:-1]} role="img" aria-labelledby="{name}-says">{svg[head.end() :]}'

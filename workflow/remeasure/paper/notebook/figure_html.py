"""A figure on a page: the picture, with its caption, which also describes it to readers who cannot
see it. On the site a script draws the chart with tooltips in its place (site/_static/charts.js)."""

import html
import json
import re
from pathlib import Path

SCALE = 13 / 8
"""size of a figure on a page over that in the paper, whose type has 8 points: 13 px on a page"""


def figure_html(name: str, chart: str, svg: str, says: str) -> str:
    """The HTML of a figure; `name` is unique on its page, `chart` the name of its files ('' for a
    picture that no script draws), and `says` tells in a sentence or two what it shows."""
    kind = f'class="chart" id="{name}" data-chart="{chart}"' if chart else f'id="{name}"'
    return (
        f"<figure {kind}>\n{_described(name, svg)}\n"
        f'<figcaption id="{name}-says">{html.escape(says)}</figcaption>\n</figure>'
    )


def caption(specification: Path) -> str:
    """The caption of a chart that was handed over, from its Vega-Lite specification."""
    return str(json.loads(specification.read_text())["description"])


def svg_file(svg: str, says: str) -> str:
    """The picture as a file of its own: what it says is its description, the first sentence of that
    its title."""
    title = re.match(r".*?[.?!](?= |$)|.*", says)
    words = f"<title>{html.escape(title[0] if title else says)}</title>"
    return re.sub(
        r"^<svg[^>]*>", lambda head: f"{head[0]}{words}<desc>{html.escape(says)}</desc>", svg
    )


def _described(name: str, svg: str) -> str:
    """The picture in the size of a page, which the caption describes. The title and description of
    a file are left out: a browser would show them beside the pointer."""
    svg = re.sub(r"<(title|desc)>.*?</\1>", "", svg)
    head = re.match(r"<svg[^>]*>", svg)
    if head is None:
        raise ValueError(f"figure {name}: found {svg[:40]!r}, expected an SVG")
    opening = re.sub(
        r'\b(width|height)="([\d.]+)"',
        lambda match: f'{match[1]}="{float(match[2]) * SCALE:.0f}"',
        head[0],
    )
    return f'{opening[:-1]} role="img" aria-labelledby="{name}-says">{svg[head.end() :]}'

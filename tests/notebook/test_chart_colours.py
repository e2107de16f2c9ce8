"""Style sheets and pictures repeat colours of the charts' theme."""

import re
from pathlib import Path

import pytest

from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.decisions import CONFIRMED, NOT_AS_STATED, OPPOSITE
from remeasure.paper.notebook.charts import theme
from remeasure.paper.notebook.charts.mechanisms import MARKS
from remeasure.paper.publish.page.render import DARK

LEAST = 3
"""contrast of a mark with its background (WCAG 2.2, criterion 1.4.11)"""
INSTEAD = dict(re.findall(r'\[fill="(#\w{6})"\] \{ fill: (#\w{6}); \}', DARK.read_text()))
"""colour of a chart -> its replacement on a dark page"""
PAGE = (DARK.parent / "page.css").read_text()
[BEHIND] = re.findall(r"scheme: dark\) \{\s*:root \{\s*--pst-color-background: (#\w{6});", PAGE)
SITE = (ROOT / "site/_static/site.css").read_text()
THEME = set(re.findall(r'"(#\w{6})"', Path(theme.__file__).read_text()))
REPEAT = [
    *("site/_static/*.css", "site/_static/*.svg", "docs/effects.svg"),
    *("workflow/remeasure/paper/publish/page/page.css", "workflow/remeasure/paper/**/charts/*.py"),
    "notebooks/*/*.svg",
]
"""files with colours of the theme; docs/effects.svg is a copy of a figure"""


def luminance(colour: str) -> float:
    """Relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", [*theme.PALETTE, theme.GREY])
def test_a_mark_is_seen_on_a_dark_page(colour):
    shown = INSTEAD.get(colour, colour)
    contrast = (luminance(shown) + 0.05) / (luminance(BEHIND) + 0.05)
    assert contrast >= LEAST, f"{DARK.name}: give {colour} a lighter colour on a dark page"


@pytest.mark.parametrize("verdict", [CONFIRMED, OPPOSITE, NOT_AS_STATED])
def test_a_verdict_has_one_colour(verdict):
    rule = f".verdict-{verdict.split()[0]} {{ color: {MARKS[verdict][1]}; }}"
    assert rule in SITE, f"site/_static/site.css: expected {rule}"


@pytest.mark.parametrize("pattern", REPEAT)
def test_a_colour_is_one_of_the_theme(pattern):
    """Greys, and the colours of the site's frame (--pst-...), are free."""
    for path in ROOT.glob(pattern):
        text = re.sub(r"--pst-[\w-]+: #\w{6}", "", path.read_text())
        colours = {
            c for c in re.findall(r"#[0-9A-Fa-f]{6}", text) if len({c[1:3], c[3:5], c[5:]}) > 1
        }
        assert colours <= THEME, f"{path}: {colours - THEME}: not in charts/theme.py"

"""A chart as SVG, as PDF, and as a figure on a page: the picture with its caption, which also
describes it to readers who cannot see it. On the site a script replaces it by a chart with tooltips
(site/_static/charts.js).

The same chart gives the same bytes of PDF each time. vl-convert keeps resources and fonts in hash
tables, so their order differs from run to run. The list of a page's resources can be sorted in
place, which moves no object. The order in which fonts are written cannot be changed, so the
conversion is repeated until they come in the order of their numbers.
"""

import hashlib
import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from IPython import get_ipython

from remeasure.paper.analysis.texts import interval_text, p_text
from remeasure.paper.words import words_of

SCALE = 13 / 8
"""size of a figure on a page over its size in the paper: type of 13 px over 8 points"""
_CLIP = re.compile(r'(?<=id=")clip\d+(?=")|(?<=url\(#)clip\d+(?=\))')
_RESOURCES = re.compile(rb"(?:^ +/[A-Za-z]+\d+ \d+ 0 R\n){2,}", re.MULTILINE)
_FONT = re.compile(rb"^(\d+) 0 obj\n<<\n  /Type /Font\n  /Subtype /Type0", re.MULTILINE)
_SENTENCE = re.compile(r".*?[.?!](?= [A-Z0-9]|$)")
ATTEMPTS = 500
"""number of conversions to try; with f fonts, one in f! has them in order"""


def drawn(path: Path) -> str:
    """A picture that was drawn by hand, in a file with one element of SVG per line."""
    return "".join(map(str.strip, path.read_text().splitlines()))


def svg_of(specification: dict[str, Any]) -> str:
    """The picture of a Vega-Lite specification, always the same bytes. Its clips are named after
    its contents, so a page can show many. Raises ValueError if Vega cannot draw it."""
    import vl_convert  # here, since it starts threads and takes memory

    numbers: dict[str, int] = {}
    svg = vl_convert.vegalite_to_svg(specification)
    plain = _CLIP.sub(lambda m: f"clip{numbers.setdefault(m[0], len(numbers) + 1)}", svg)
    own = hashlib.sha256(plain.encode()).hexdigest()[:8]
    return _CLIP.sub(lambda m: m[0].replace("clip", f"clip-{own}-"), plain)


def pdf_of(svg: str) -> bytes:
    """`svg` as PDF, always the same bytes. Raises RuntimeError if no attempt gives them."""
    import vl_convert

    for _ in range(ATTEMPTS):
        pdf = _RESOURCES.sub(
            lambda run: b"".join(sorted(run[0].splitlines(keepends=True))),
            vl_convert.svg_to_pdf(svg),
        )
        fonts = [int(number) for number in _FONT.findall(pdf)]
        if fonts == sorted(fonts):
            return pdf
    raise RuntimeError(f"no conversion in {ATTEMPTS} wrote the fonts of the figure in order")


def figure_html(name: str, chart: str, svg: str, says: str) -> str:
    """The HTML of a figure; `name` is unique on its page, `chart` the name of its files ('' for a
    picture that no script draws); the first sentence of `says` is its title."""
    kind = f'class="chart" id="{name}" data-chart="{chart}"' if chart else f'id="{name}"'
    title, rest = _title_of(says)
    # Without title and description of its own, which a browser would show at the pointer.
    head, _, drawing = re.sub(r"<(title|desc)>.*?</\1>", "", svg).partition(">")
    opening = re.sub(
        r'\b(width|height)="([\d.]+)"',
        lambda match: f'{match[1]}="{float(match[2]) * SCALE:.0f}"',
        head,
    )
    return (
        f'<figure {kind}>\n<p class="title" id="{name}-title">{html.escape(title)}</p>\n'
        f'{opening} role="img" aria-labelledby="{name}-title {name}-says">{drawing}\n'
        f'<figcaption id="{name}-says">{html.escape(rest)}</figcaption>\n</figure>'
    )


def _title_of(says: str) -> tuple[str, str]:
    title = _SENTENCE.match(says)
    end = title.end() if title else len(says)
    return says[:end], says[end:].strip()


def caption(specification: Path) -> str:
    """The caption of a chart that was handed over, from its Vega-Lite specification."""
    return str(json.loads(specification.read_text())["description"])


def svg_file(svg: str, says: str) -> str:
    """The picture as a file with a description, whose first sentence is the title."""
    words = f"<title>{html.escape(_title_of(says)[0])}</title>"
    return re.sub(
        r"^<svg[^>]*>", lambda head: f"{head[0]}{words}<desc>{html.escape(says)}</desc>", svg
    )


DIGITS = 4
"""significant digits of a number whose uncertainty is not in its table"""
LABELS: dict[str, str] = words_of(__file__, "column-labels")


def table_html(table: pd.DataFrame) -> str:
    """The HTML of a table; a missing value is empty, and a table without rows a sentence."""
    if table.empty:
        return "<p>(none)</p>"
    table = with_intervals(table)
    last = table.index.get_level_values(-1)
    numbered = last.name is None and pd.api.types.is_integer_dtype(last)
    if numbered and table.index.nlevels > 1:
        table, numbered = table.droplevel(-1), False
    shown = table.rename(columns=label)
    shown.columns.names = [label(name) for name in table.columns.names]
    shown.index.names = [label(name) for name in table.index.names]
    formats = [_format_of(name, column) for name, column in table.items()]
    return str(shown.to_html(index=not numbered, na_rep="", border=0, formatters=formats))


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """The table with each estimate in one column, as text: `diff`, `diff_low` and `diff_high` are
    one estimate, and so are `value`, `low` and `high`."""
    for name in [name for name in table.columns if isinstance(name, str)]:
        low, high = ("low", "high") if name == "value" else (f"{name}_low", f"{name}_high")
        if low in table and high in table:
            rows = table[[name, low, high]].itertuples(index=False)
            # dtype=object: a text may have origins (analysis.lineage.Quoted)
            texts = pd.Series([interval_text(*row) for row in rows], table.index, dtype=object)
            table = table.assign(**{name: texts}).drop(columns=[low, high])
            table = table.rename(columns={name: f"{label(name)} [95 % interval]"})
    return table


def label(name: object) -> object:
    if not isinstance(name, str):
        return name
    # IKE_SA is a term; ike_bytes is a name in code.
    return LABELS.get(name, name.replace("_", " ") if name.islower() else name)


def _format_of(name: object, column: pd.Series) -> Callable[..., str]:
    if isinstance(name, str) and name.startswith("p_"):
        return p_text
    if pd.api.types.is_bool_dtype(column):
        return lambda value: "yes" if value else "no"
    if not pd.api.types.is_float_dtype(column):
        return str
    return _number


def _number(value: float) -> str:
    """With DIGITS significant digits, and all digits before the point."""
    before = len(f"{abs(value):.0f}")
    return np.format_float_positional(
        value, max(before, DIGITS), unique=False, fractional=False, trim="-"
    )


def use_tables() -> None:
    """Show every later table of the running notebook in this way. Does nothing elsewhere."""
    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type(pd.DataFrame, table_html)
        # Text of a table leaves out none of its columns, whatever the terminal.
        pd.options.display.max_columns = 20

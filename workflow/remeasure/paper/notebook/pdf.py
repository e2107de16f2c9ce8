"""Conversion of a chart to the same bytes of PDF each time.

vl-convert keeps resources and fonts in hash tables, so their order differs from run to run. The
list of a page's resources can be sorted in place, which moves no object. The order in which fonts
are written cannot be changed, so the conversion is repeated until they come in the order of their
numbers.
"""

import re

import vl_convert

_RESOURCES = re.compile(rb"(?:^ +/[A-Za-z]+\d+ \d+ 0 R\n){2,}", re.MULTILINE)
_FONT = re.compile(rb"^(\d+) 0 obj\n<<\n  /Type /Font\n  /Subtype /Type0", re.MULTILINE)
ATTEMPTS = 500
"""number of conversions to try; with f fonts, one in f! has them in order"""


def pdf_of(svg: str) -> bytes:
    """Convert an SVG to PDF, to the same bytes for the same `svg`. Raises RuntimeError if no
    attempt gives them."""
    for _ in range(ATTEMPTS):
        pdf = _RESOURCES.sub(
            lambda run: b"".join(sorted(run[0].splitlines(keepends=True))),
            vl_convert.svg_to_pdf(svg),
        )
        fonts = [int(number) for number in _FONT.findall(pdf)]
        if fonts == sorted(fonts):
            return pdf
    raise RuntimeError(f"no conversion in {ATTEMPTS} wrote the fonts of the figure in order")

"""Requirements of a paper's pages. Each check returns errors, in words."""

import re
from collections.abc import Iterator
from dataclasses import astuple

import numpy as np
from paper_pages import POINT, SCALE, Paper
from pdfminer.pdfdocument import PDFNoOutlines
from pdfminer.pdftypes import resolve1
from scipy.ndimage import binary_opening

MOST_PAGES, MOST_FIGURES, MOST_TABLES = 12, 6, 7
"""pages all told; figures and tables of the body"""
TALL, WIDE = 24, 72
"""height and width [pt] from which a white rectangle counts"""
MOST_WHITE = 0.25
"""share of the text block"""
LEAST_TYPE = 7
"""size of type in figures [pt]"""
MOST_OVERFULL = 1
"""[pt]"""
LEAST_TEXT = 300
"""characters of the text's own size, about five lines, on a page with more than floats"""
REFERENCES = "(?i)references"


def body_end(paper: Paper) -> int:
    """The last page of the body."""
    return paper.last_before(REFERENCES) or len(paper.pages)


def too_long(paper: Paper) -> list[str]:
    end = body_end(paper)
    of = {
        kind: sum(name.startswith(kind) and page <= end for name, (page, _) in paper.floats.items())
        for kind in ("figure", "table")
    }
    counts = {"pages": (len(paper.pages), MOST_PAGES), "figures": (of["figure"], MOST_FIGURES)}
    counts["tables"] = (of["table"], MOST_TABLES)
    return [f"{n} {what}, most {most}" for what, (n, most) in counts.items() if n > most]


def of_floats_alone(paper: Paper) -> list[str]:
    listed = _pages_of_references(paper)
    return [
        f"page {number}: floats alone ({text} characters of text)"
        for number, page in enumerate(paper.pages, 1)
        if number not in listed
        and number < len(paper.pages)
        and (text := page.sizes[paper.body_size]) < LEAST_TEXT
    ]


def white(paper: Paper) -> list[str]:
    """Pages with too much white; the last ones of body and references are free."""
    ends = (body_end(paper), len(paper.pages))
    return [
        f"page {number}: {share:.0%} white"
        for number, share in shares_of_white(paper)
        if share > MOST_WHITE and number not in ends
    ]


def shares_of_white(paper: Paper) -> Iterator[tuple[int, float]]:
    """Share of the text block of each page that lies in white rectangles at least TALL and WIDE."""
    left, top, width, height = (round(SCALE * place) for place in astuple(paper.block)[:4])
    least = np.ones((round(SCALE * TALL), round(SCALE * WIDE)), dtype=bool)
    for number, page in enumerate(paper.pages, 1):
        ink = page.ink[top : top + height, left : left + width]
        yield number, float(binary_opening(~ink, least).mean())


def far_floats(paper: Paper) -> list[str]:
    found = []
    for name, (page, linked) in sorted(paper.floats.items()):
        if linked is None:
            found.append(f"{name}, page {page}: the text does not refer to it")
        elif not linked <= page <= linked + 1:
            found.append(f"{name}, page {page}: first referred to on page {linked}")
    return found


def small_type(paper: Paper) -> list[str]:
    return [
        f"page {number}: figure with type of {min(page.drawn)} pt"
        for number, page in enumerate(paper.pages, 1)
        if page.drawn and min(page.drawn) < LEAST_TYPE - 0.05
    ]


def not_described(paper: Paper) -> list[str]:
    info = {key: value for one in paper.document.info for key, value in one.items()}
    missing = [key for key in ("Title", "Author", "Keywords") if not resolve1(info.get(key))]
    if not paper.document.catalog.get("Lang"):
        missing.append("Lang")
    try:
        if not list(paper.document.get_outlines()):
            missing.append("bookmarks")
    except PDFNoOutlines:
        missing.append("bookmarks")
    return [f"the PDF has no {name}" for name in missing]


def overfull(paper: Paper) -> list[str]:
    boxes = re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)(.*)", paper.log)
    return [
        f"{float(wide):.0f} pt too wide{where}"
        for wide, where in boxes
        if float(wide) * POINT > MOST_OVERFULL
    ]


CHECKS = (too_long, of_floats_alone, white, far_floats, small_type, not_described, overfull)


def _pages_of_references(paper: Paper) -> range:
    start = paper.heading(REFERENCES)
    if start is None:
        return range(0)
    return range(start[0], len(paper.pages) + 1)

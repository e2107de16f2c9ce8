"""The pages of a paper as a reader sees them: text, ink, floats, and where its parts end."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pypdfium2
from pdfminer.high_level import extract_pages
from pdfminer.layout import LTChar, LTFigure, LTTextLine
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import resolve1

POINT = 72 / 72.27
"""a point of TeX in points of PDF"""
SCALE = 0.5
"""pixels for a point, where ink is looked for"""


@dataclass
class Page:
    """One page; places are [pt] from its upper left corner."""

    lines: list[tuple[float, float, str]] = field(default_factory=list)
    """x, y and text of each line outside figures"""
    sizes: Counter = field(default_factory=Counter)
    """size of type outside figures [pt] -> number of characters"""
    drawn: Counter = field(default_factory=Counter)
    """characters inside figures by size"""
    ink: np.ndarray = field(default_factory=lambda: np.zeros((1, 1), dtype=bool))
    """True where something is printed, and on all of a figure"""
    figures: list[tuple[float, float, float, float]] = field(default_factory=list)
    """left, top, right, bottom of each figure"""


@dataclass(frozen=True)
class Block:
    """The text block of every page [pt]."""

    left: float
    top: float
    width: float
    height: float
    gap: float

    @classmethod
    def of_log(cls, log: str) -> "Block":
        """As paper/checked.tex writes it into the log of LaTeX."""
        found = dict(re.findall(r"^Text block: (\w+) (-?[\d.]+)pt", log, flags=re.MULTILINE))
        return cls(**{name: float(value) * POINT for name, value in found.items()})


class Paper:
    """A built paper, and LaTeX's log of it."""

    def __init__(self, pdf: Path, log: Path):
        self.log = log.read_text(errors="replace")
        self._file = pdf.open("rb")
        self.document = PDFDocument(PDFParser(self._file))
        self._numbers = {
            page.pageid: number
            for number, page in enumerate(PDFPage.create_pages(self.document), 1)
        }
        self.pages = [_page(layout) for layout in extract_pages(pdf)]
        pictures = pypdfium2.PdfDocument(pdf)
        for page, picture in zip(self.pages, pictures, strict=True):
            page.ink = picture.render(scale=SCALE, grayscale=True).to_numpy().squeeze() < 250
            for box in page.figures:
                left, top, right, bottom = (max(round(SCALE * place), 0) for place in box)
                page.ink[top:bottom, left:right] = True

    @cached_property
    def block(self) -> Block:
        return Block.of_log(self.log)

    @cached_property
    def body_size(self) -> float:
        """Size of most of the type [pt]."""
        total = sum((page.sizes for page in self.pages), Counter())
        return total.most_common(1)[0][0]

    def heading(self, pattern: str) -> tuple[int, bool] | None:
        """The page of the last heading that matches, without blanks, and whether something stands
        on it before the heading; None without one."""
        for number, page in reversed(list(enumerate(self.pages, 1))):
            for x, y, text in page.lines:
                if re.fullmatch(pattern, re.sub(r"\s", "", text)):
                    first = x < self.block.left + self.block.width / 2
                    return number, not (first and y < self.block.top + 24)
        return None

    def last_before(self, pattern: str) -> int | None:
        """The last page before a heading; None without the heading."""
        found = self.heading(pattern)
        return found and (found[0] if found[1] else found[0] - 1)

    @cached_property
    def floats(self) -> dict[str, tuple[int, int | None]]:
        """'figure.1' -> its page, and the page of the first link to it."""
        linked: dict[str, int] = {}
        for number, page in enumerate(PDFPage.create_pages(self.document), 1):
            for annotation in map(resolve1, resolve1(page.annots) or []):
                action = resolve1(annotation.get("A")) or {}
                name = resolve1(action.get("D", annotation.get("Dest")))
                if isinstance(name, bytes):
                    linked.setdefault(name.decode(), number)
        return {
            name: (page, linked.get(name))
            for name, page in self._targets()
            if re.fullmatch(r"(figure|table)(\.caption)?\.\d+", name)
        }

    def _targets(self) -> Iterator[tuple[str, int]]:
        """Names of places in the document, and their pages."""
        names = resolve1(self.document.catalog.get("Names")) or {}
        left = [names["Dests"]] if "Dests" in names else []
        while left:
            node = resolve1(left.pop())
            left += node.get("Kids", [])
            flat = node.get("Names", [])
            for name, place in zip(flat[::2], flat[1::2], strict=True):
                target = resolve1(place)
                target = target["D"] if isinstance(target, dict) else target
                yield resolve1(name).decode(), self._numbers[target[0].objid]


def _page(layout) -> Page:
    page = Page()

    def walk(item, drawn: bool) -> None:
        if isinstance(item, LTChar):
            # The box of a character is as high as its size, and as wide if it is turned.
            turned = abs(item.matrix[1]) > abs(item.matrix[0])
            size = round(item.width if turned else item.height, 1)
            (page.drawn if drawn else page.sizes)[size] += 1
            return
        if isinstance(item, LTFigure):
            top, bottom = layout.height - item.y1, layout.height - item.y0
            page.figures.append((item.x0, top, item.x1, bottom))
        if isinstance(item, LTTextLine) and not drawn:
            page.lines.append((item.x0, layout.height - item.y1, item.get_text().strip()))
        if hasattr(item, "__iter__"):
            for part in item:
                walk(part, drawn or isinstance(part, LTFigure))

    walk(layout, False)
    return page

"""Figures that answer to the mouse: a page each, whole in itself."""

from collections.abc import Iterable
from pathlib import Path

import altair as alt


def write_pages(folder: Path, handed: Iterable[Path]) -> list[Path]:
    """<folder>/<figure>.html for every figure that notebooks handed over. All in one process: to
    put Vega together takes longer than all the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for source in sorted(path for one in handed for path in Path(one).glob("figures/*.json")):
        pages.append(folder / f"{source.stem}.html")
        alt.Chart.from_json(source.read_text(), validate=False).save(pages[-1], inline=True)
    return pages

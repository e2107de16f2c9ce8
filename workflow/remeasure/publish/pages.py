"""Interactive figures: one self-contained page for each."""

import json
from collections.abc import Iterable
from pathlib import Path

import altair as alt
from altair.utils.html import spec_to_html


def write_pages(folder: Path, handed: Iterable[Path]) -> list[Path]:
    """Write <folder>/<figure>.html for every figure that notebooks handed over, and return the
    paths. All pages are made in one process, since setting up Vega takes longer than all of
    them."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for source in sorted(path for one in handed for path in Path(one).glob("figures/*.json")):
        pages.append(folder / f"{source.stem}.html")
        pages[-1].write_text(
            spec_to_html(
                json.loads(source.read_text()),
                mode="vega-lite",
                template="inline",
                vega_version=alt.VEGA_VERSION,
                vegalite_version=alt.VEGALITE_VERSION,
                vegaembed_version=alt.VEGAEMBED_VERSION,
            )
        )
    return pages

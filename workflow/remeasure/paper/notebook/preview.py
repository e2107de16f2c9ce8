"""The mark of results from a campaign that is not finished, or was released before all rounds that
were planned. Tables have it in their metadata, and a
notebook hands it on from its tables, for everything that is made from its results."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq

from remeasure.bench.base.errors import UserError
from remeasure.paper.tidy.parquet import PREVIEW

FILE = "preview.txt"
"""file of handed results that has the mark; a finished campaign has none"""


def mark_of_table(path: Path) -> str:
    """The mark of a table; empty if it has none."""
    metadata: dict[bytes, bytes] = pq.read_schema(path).metadata or {}
    return metadata.get(PREVIEW.encode(), b"").decode()


def mark_of_results(handed: Iterable[Path]) -> str:
    """The marks of results in the folders that notebooks handed over; empty without any."""
    files = (folder / FILE for folder in handed)
    return " / ".join(sorted({path.read_text() for path in files if path.exists()}))


def require_no_preview(handed: Iterable[Path]) -> None:
    """Raises UserError if results are a preview, which is neither released nor committed. Results
    of a campaign that was released after fewer rounds than planned have a mark, too."""
    if "PREVIEW" in (mark := mark_of_results(handed)):
        raise UserError(f"results: {mark}; finish the campaign, and build again")

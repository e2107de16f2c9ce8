"""From an estimate to the tidy rows from which it was made, and to their lines in the raw logs."""

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from remeasure.bench.base.files import file_hash
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.campaign.release import released_hash
from remeasure.paper.tidy.parquet import read_parquet


class RawLines:
    """The tables and archives under `root`. They are kept, since most estimates come from the same
    few."""

    def __init__(self, root: Path):
        self._root = root
        self._campaign = cache(_campaign)
        self._table = lru_cache(maxsize=32)(self._read_table)
        self._rows = lru_cache(maxsize=512)(self._rows_by_cell)
        self._archive = lru_cache(maxsize=128)(self._read_archive)

    def observations(self, tidy: Path, origin: dict[str, Any], rows: int) -> dict[str, Any]:
        """The observations from which an estimate was made: `from` (in words), `rows` (their
        number), `lines` (of the first `rows` of them: block, trial, value, archive, file, line,
        text, sha256, released). `tidy` is the scenario's folder of tables, relative to `root`;
        `origin` is an entry of lineage.json."""
        campaign = origin.get("campaign") or self._campaign(
            self._root / tidy, bool(origin.get("virtual"))
        )
        observed = f"{tidy}/observations.parquet"
        chosen = shown = self._of_cells((tidy, origin["metric"], campaign), origin)
        says = f"{_rows_of_trials(chosen)} of {observed}"
        if chosen.empty:
            chosen = self._of_cells((tidy, None, campaign), origin)
            shown = chosen.drop_duplicates(["block", "trial", "file"])
            says = "derived in the notebook, of what these trials recorded; their counters are "
            says += f"{_rows_of_trials(chosen)} of {tidy}/counters.parquet"
        if chosen.empty:  # a probe that controls the tunnel reads no counters
            chosen = shown = self._of_cells((tidy, "", campaign), origin)
            says = f"derived in the notebook, of {_rows_of_trials(chosen)} of {observed}"
        lines = list(self._lines(shown.head(rows)))
        return {"from": says, "rows": len(chosen), "lines": lines}

    def _read_table(self, tidy: Path, metric: str | None, campaign: str) -> pd.DataFrame:
        """A campaign's observations of a metric, of all if it is empty, or its counters if there is
        none."""
        name = "counters" if metric is None else "observations"
        of_metric = [("metric", "==", metric)] if metric else None
        table = read_parquet(self._root / tidy / f"{name}.parquet", of_metric).to_pandas()
        return table[table["campaign"] == campaign]

    def _of_cells(
        self, source: tuple[Path, str | None, str], origin: dict[str, Any]
    ) -> pd.DataFrame:
        """The rows of an estimate's cells in the table of `source`. A level that is missing from
        the table is ignored as a filter."""
        table = self._table(*source)
        if table.empty:
            return table
        cells = pd.DataFrame(origin["cells"]).astype(str)
        known = [
            factor
            for factor in cells
            if {(level,) for level in cells[factor]} <= {*self._rows(*source, (factor,))}
        ]
        by_cell = self._rows(*source, tuple(known))
        wanted = set(cells[known].itertuples(index=False, name=None))
        places = [by_cell[cell] for cell in wanted & by_cell.keys()]
        found = table.iloc[np.sort(np.concatenate(places))] if places else table.iloc[:0]
        return found[found["block"].isin(origin["blocks"])]

    def _rows_by_cell(
        self, tidy: Path, metric: str | None, campaign: str, factors: tuple[str, ...]
    ) -> dict[tuple[str, ...], np.ndarray]:
        """Levels of these factors -> the places of their rows in `_table`; empty if a factor is
        missing."""
        table = self._table(tidy, metric, campaign)
        if not {*factors} <= {*table}:
            return {}
        if not factors:
            return {(): np.arange(len(table))}
        text = table[list(factors)].astype(str).fillna("")
        groups = text.reset_index(drop=True).groupby(list(factors)).indices
        return {cell if isinstance(cell, tuple) else (cell,): at for cell, at in groups.items()}

    def _read_archive(self, campaign: str, block: str) -> tuple[BlockArchive, str, str | None]:
        """A block; its hash, and its hash at the release."""
        folder = self._root / "data" / "raw" / campaign
        path = folder / block
        return BlockArchive(path), file_hash(path), released_hash(folder, block)

    def _lines(self, chosen: pd.DataFrame) -> Iterator[dict[str, Any]]:
        for row, columns in zip(chosen.itertuples(), chosen.to_dict("records"), strict=True):
            block = f"{row.scenario}/block-{row.block:02d}.zip"
            logs, sha256, released = self._archive(row.campaign, block)
            text = logs.read(row.file).decode(errors="replace").splitlines()
            # In a capture, the line is the packet's number.
            line = None if row.file.endswith(".zst") else getattr(row, "line", None)
            if "counter" in columns:
                line = logs.line_of_reading(row.file, columns)
            yield {
                "block": row.block,
                "trial": row.trial,
                "value": getattr(row, "value", getattr(row, "change", None)),
                "archive": f"data/raw/{row.campaign}/{block}",
                "file": row.file,
                "line": line,
                "text": text[line - 1].strip()[:200] if line else "",
                "sha256": sha256,
                "released": released,
            }


def _rows_of_trials(chosen: pd.DataFrame) -> str:
    trials = len(chosen[["block", "trial"]].drop_duplicates())
    return f"{len(chosen)} rows ({trials} trials)"


def _campaign(tidy: Path, virtual: bool) -> str:
    """The campaign from which notebooks estimate: the first in virtual time, or the first other
    one; the first of all, if there is only one kind."""
    trials = read_parquet(tidy / "trials.parquet").select(["campaign", "hosts"]).to_pandas()
    in_order: list[str] = list(trials["campaign"].cat.categories)
    of_kind = set(
        trials.loc[trials["hosts"].astype(str).str.startswith("virtual") == virtual, "campaign"]
    )
    return next(name for name in in_order if name in of_kind or not of_kind)

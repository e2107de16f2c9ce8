"""From an estimate to the tidy rows from which it was made, and to their lines in the raw logs."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from remeasure.campaign.archive import BlockArchive
from remeasure.campaign.release import released_hash
from remeasure.hashes import file_hash
from remeasure.names import VIRTUAL
from remeasure.tidy.parquet import read_parquet


def observations(root: Path, tidy: Path, origin: dict, rows: int) -> dict:
    """The observations from which an estimate was made: `from` (in words), `rows` (their number),
    `lines` (of the first `rows` of them: block, trial, value, archive, file, line, text, sha256,
    released).

    `tidy` is the scenario's folder of tables, relative to `root`; `origin` is an entry of
    lineage.json.
    """
    of_metric = [("metric", "==", origin["metric"])]
    campaign = _campaign(root / tidy, bool(origin.get("virtual")))
    table = read_parquet(root / tidy / "observations.parquet", of_metric).to_pandas()
    chosen = _of_cells(table, origin, campaign)
    if chosen.empty:
        counters = read_parquet(root / tidy / "counters.parquet").to_pandas()
        counters = _of_cells(counters, origin, campaign)
        return {
            "from": "derived in the notebook, of what these trials recorded; their counters "
            f"are {len(counters)} rows of counters.parquet",
            "rows": len(counters),
            "lines": list(_lines(counters.drop_duplicates(["block", "trial", "file"]), root, rows)),
        }
    return {
        "from": f"{len(chosen)} rows of {tidy}/observations.parquet",
        "rows": len(chosen),
        "lines": list(_lines(chosen, root, rows)),
    }


def _campaign(tidy: Path, virtual: bool) -> str:
    """The campaign from which notebooks estimate: the first of those in virtual time, or of the
    others; the first of all, if there is only one kind."""
    trials = read_parquet(tidy / "trials.parquet").select(["campaign", "backend"]).to_pandas()
    in_order = trials["campaign"].cat.categories
    of_kind = set(trials.loc[(trials["backend"].astype(str) == VIRTUAL) == virtual, "campaign"])
    return next(name for name in in_order if name in of_kind or not of_kind)


def _of_cells(table: pd.DataFrame, origin: dict, campaign: str) -> pd.DataFrame:
    """The rows of an estimate's cells in one campaign. A level missing from the table is ignored as
    a filter."""
    if table.empty:
        return table
    table = table[table["campaign"] == campaign]
    cells = pd.DataFrame(origin["cells"])
    text = table[[column for column in cells if column in table]].apply(
        lambda levels: levels.astype(str).fillna("")
    )
    keys = [column for column in text if set(cells[column]) <= set(text[column])]
    text = text[keys]
    wanted = pd.MultiIndex.from_frame(cells[keys].astype(str).drop_duplicates())
    return table[
        pd.MultiIndex.from_frame(text).isin(wanted) & table["block"].isin(origin["blocks"])
    ]


def _lines(chosen: pd.DataFrame, root: Path, rows: int) -> Iterator[dict]:
    opened: dict[Path, tuple[BlockArchive, str, str | None]] = {}
    for row in chosen.head(rows).itertuples():
        campaign = root / "data" / "raw" / row.campaign
        block = f"{row.scenario}/block-{row.block:02d}.zip"
        archive = campaign / block
        if archive not in opened:
            opened[archive] = (
                BlockArchive(archive),
                file_hash(archive),
                released_hash(campaign, block),
            )
        logs, sha256, released = opened[archive]
        text = logs.read(row.file).decode(errors="replace").splitlines()
        # In a capture, the line is the packet's number.
        line = None if row.file.endswith(".zst") else getattr(row, "line", None)
        yield {
            "block": row.block,
            "trial": row.trial,
            "value": getattr(row, "value", getattr(row, "change", None)),
            "archive": str(archive.relative_to(root)),
            "file": row.file,
            "line": line,
            "text": text[line - 1].strip()[:200] if line else "",
            "sha256": sha256,
            "released": released,
        }

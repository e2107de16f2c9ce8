"""Writing the tables of estimates and claims, and copying all tables into data/tidy."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from remeasure.analysis.ledger import read_ledger
from remeasure.atomic import atomic_path
from remeasure.columns import Table
from remeasure.digits import rounded_columns
from remeasure.names import Name
from remeasure.paths import ROOT
from remeasure.publish.dataset.claims import claims_table
from remeasure.publish.dataset.columns import CLAIMS, ESTIMATES
from remeasure.publish.dataset.estimates import estimates_of
from remeasure.tidy.described import described_schema
from remeasure.tidy.parquet import WRITTEN

TIDY = ROOT / "data/tidy"


def write_dataset(folder: Path, tidy: Path, handed: Iterable[Path]) -> None:
    """Write <folder>/estimates.parquet and claims.parquet. `tidy` has a folder of tables for each
    scenario; `handed` are the folders that notebooks handed over. Raises UserError."""
    handed = list(handed)
    of_scenarios = [one for one in handed if (tidy / Name.of_notebook(one.name).scenario).is_dir()]
    made = [estimates_of(tidy / Name.of_notebook(one.name).scenario, one) for one in of_scenarios]
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "estimates.parquet", pd.concat(made, ignore_index=True), ESTIMATES)
    _write(folder / "claims.parquet", claims_table(read_ledger(handed)), CLAIMS)


def _write(path: Path, rows: pd.DataFrame, table: Table) -> None:
    schema = described_schema(table.row, table.columns, {"factors": json.dumps([])})
    with atomic_path(path) as part:
        made = pa.Table.from_pandas(
            rounded_columns(rows[schema.names]), schema=schema, preserve_index=False
        )
        pq.write_table(made.replace_schema_metadata(schema.metadata), part, **WRITTEN)


def copy_tables(results: Path) -> list[Path]:
    """Copy the tables that were built into data/tidy, in place of those that are there. Returns
    their paths."""
    made = {
        source: TIDY / source.relative_to(results / part)
        for part in ("tidy", "dataset")
        for source in sorted((results / part).rglob("*.parquet"))
    }
    shutil.rmtree(TIDY, ignore_errors=True)
    for source, path in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
    return list(made.values())

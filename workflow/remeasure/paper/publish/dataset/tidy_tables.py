"""Writing the tables of estimates, levels and claims, copying all tables into data/tidy, and their
Data Package, from the descriptions in the metadata of their Parquet files."""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from remeasure.bench.base.columns import Column, Table
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_path, file_hash
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.verdicts.ledger import read_ledger
from remeasure.paper.digits import rounded_columns
from remeasure.paper.notebook.ledger_tables import claims_table
from remeasure.paper.notebook.preview import mark_of_results
from remeasure.paper.publication import LICENCES, Publication, as_json, load_publication
from remeasure.paper.publish.dataset import derived_tables
from remeasure.paper.publish.dataset.derived_columns import (
    CLAIMS,
    ESTIMATES,
    LEVEL_OF_ESTIMATE,
    LEVELS,
)
from remeasure.paper.tidy.parquet import PREVIEW, WRITTEN, described_schema, read_parquet

TIDY = ROOT / "data/tidy"
PACKAGE = "datapackage.json"


def write_dataset(folder: Path, tidy: Path, handed: Iterable[Path]) -> None:
    """Write <folder>/estimates.parquet, levels.parquet and claims.parquet. `tidy` has a folder of
    tables per scenario; `handed` are the folders of the notebooks' results. Raises UserError."""
    handed = list(handed)
    tables = {one: tidy / Name.of_notebook(one.name).scenario for one in handed}
    of_scenarios = {one: path for one, path in tables.items() if path.is_dir()}
    folder.mkdir(parents=True, exist_ok=True)
    made = [derived_tables.estimates_of(path, one) for one, path in of_scenarios.items()]
    rows, beside = with_numbers(
        made, [derived_tables.numbers_beside(path) for path in of_scenarios.values()]
    )
    mark = mark_of_results(handed)
    _write(folder / "estimates.parquet", rows, ESTIMATES, mark, beside)
    levels = [derived_tables.levels_table(path.name, path) for path in of_scenarios.values()]
    _write(folder / "levels.parquet", pd.concat(levels, ignore_index=True), LEVELS, mark)
    _write(folder / "claims.parquet", claims_table(read_ledger(handed)), CLAIMS, mark)


def with_numbers(
    estimates: Sequence[pd.DataFrame], numbers: Sequence[Iterable[derived_tables.NumbersOf]]
) -> tuple[pd.DataFrame, list[Column]]:
    """The estimates of all scenarios, with columns of numbers next to columns of factors, and the
    columns of both. `numbers` has the factors of each scenario."""
    named = {column.name for column in ESTIMATES.columns}
    beside: dict[str, Column] = {}
    for table, of_scenario in zip(estimates, numbers, strict=True):
        for factor in [name for name in table.columns if name not in named | beside.keys()]:
            beside.setdefault(factor, Column(factor, "word", "", LEVEL_OF_ESTIMATE))
            for one in of_scenario:
                if one.factor == factor:
                    table[one.column.name] = table[factor].map(one.values)
                    beside.setdefault(one.column.name, one.column)
    return pd.concat(estimates, ignore_index=True), list(beside.values())


def _write(
    path: Path, rows: pd.DataFrame, table: Table, mark: str, beside: Iterable[Column] = ()
) -> None:
    """Write a table. `mark`: of a preview; `beside`: columns of factors, and of numbers, before
    `value`."""
    place = [column.name for column in table.columns].index("value")
    columns = [*table.columns[:place], *beside, *table.columns[place:]]
    factors = [column.name for column in beside if column.type == "word"]
    more = {"factors": json.dumps(factors)} | ({PREVIEW: mark} if mark else {})
    schema = described_schema(table.row, columns, more)
    with atomic_path(path) as part:
        made = pa.Table.from_pandas(
            rounded_columns(rows[schema.names]), schema=schema, preserve_index=False
        )
        pq.write_table(made.replace_schema_metadata(schema.metadata), part, **WRITTEN)


def copy_tables(results: Path) -> list[Path]:
    """Replace the tables in data/tidy by the built ones, and describe them. Returns the paths that
    were written. Raises UserError if nothing was built."""
    made = {
        source: TIDY / source.relative_to(results / part)
        for part in ("tidy", "dataset")
        for source in sorted((results / part).rglob("*.parquet"))
    }
    if not made:
        raise UserError(
            f"{results}: found no tables, expected those that the workflow builds; "
            "data/tidy is left as it is; run env/run snakemake --cores 4 first"
        )
    shutil.rmtree(TIDY, ignore_errors=True)
    for source, path in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
    package = TIDY / PACKAGE
    package.write_text(package_of(TIDY))
    return [*made.values(), package]


def package_of(folder: Path) -> str:
    """The text of the Data Package that describes the tables (Parquet) below `folder`."""
    tables = [(path.relative_to(folder), path) for path in sorted(folder.rglob("*.parquet"))]
    return as_json(datapackage(load_publication(), folder, tables))


_TYPES = {
    "word": "string",
    "text": "string",
    "integer": "integer",
    "large integer": "integer",
    "number": "number",
    "truth": "boolean",
    "time": "datetime",
}
_FORMATS = {".parquet": "application/vnd.apache.parquet", ".csv": "text/csv"}


def datapackage(
    publication: Publication, folder: Path, tables: Iterable[tuple[Path, Path]]
) -> dict[str, Any]:
    """The document for tables in `folder`: of each its path there, and the Parquet file that
    describes it."""
    data = publication.data_licence
    links = {
        "homepage": publication.site,
        "id": f"https://doi.org/{publication.doi}" if publication.doi else None,
    }
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "ipsec-remeasured",
        "title": publication.title,
        "description": publication.about,
        "version": publication.version,
        "created": f"{publication.date.isoformat()}T00:00:00Z",
        "keywords": publication.keywords,
        "licenses": [{"name": data, "path": LICENCES[data]}],
        "contributors": [
            {"title": author.whole, "roles": ["author"]} for author in publication.authors
        ],
        **{key: value for key, value in links.items() if value},
        "resources": [one for table in tables for one in _resource(folder, *table)],
    }


def _resource(folder: Path, path: Path, source: Path) -> Iterator[dict[str, Any]]:
    """Yield the description of a table, unless it has no rows: validators take such a table for a
    broken file."""
    table = read_parquet(source)
    if table.num_rows:
        row, fields = table.schema.metadata[b"row"], [_column(field) for field in table.schema]
        yield {
            "name": "-".join([*path.parent.parts[-1:], path.stem]),
            "path": path.as_posix(),
            "description": f"One row is {row.decode()}.",
            "format": path.suffix[1:],
            "mediatype": _FORMATS[path.suffix],
            "hash": f"sha256:{file_hash(folder / path)}",
            "schema": {"fields": fields, "missingValues": [""]},
        }


def _column(field: pa.Field) -> dict[str, Any]:
    known = {key.decode(): value.decode() for key, value in field.metadata.items()}
    described: dict[str, object] = {
        "name": field.name,
        "type": _TYPES[known["type"]],
        "description": known["meaning"],
    }
    if known["unit"]:
        described["unit"] = known["unit"]
    if levels := json.loads(known.get("levels", "[]")):
        described |= {"categories": levels, "categoriesOrdered": True}
    return described

"""Writing the tables of a scenario, block by block: memory does not grow with the data. A factor is
an ordered category, with its levels in the order of the scenario's file; levels of a quantity rise
with their numbers, which have a column of their own (tidy.parquet)."""

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from remeasure.bench.base.columns import KEYS, NAMES, TABLES, Column, Table
from remeasure.bench.base.errors import UserError, naming
from remeasure.bench.base.files import atomic_path
from remeasure.bench.campaign.archive import BlockArchive, number_of
from remeasure.bench.campaign.folder import MANIFEST, frozen_with
from remeasure.bench.campaign.machine_kind import require_one_kind
from remeasure.bench.campaign.quantities import FactorQuantity, quantities_of
from remeasure.bench.campaign.rounds import require_whole
from remeasure.bench.campaign.scenario import Scenario, key_of
from remeasure.paper.tidy import parquet
from remeasure.paper.tidy.rows import ROWS_OF, TidyRow

_LEVEL = pa.dictionary(pa.int32(), pa.string(), ordered=True)

FactorLevels = dict[str, list[str]]
"""factor -> its levels, in their order"""


class Factors(NamedTuple):
    between: FactorLevels
    """factors that vary between trials"""
    within: FactorLevels
    """factors that vary within a trial"""
    quantities: dict[Path, dict[str, FactorQuantity]]
    """folder of a campaign's blocks -> factors that are quantities there"""

    @property
    def numeric(self) -> list[parquet.Numeric]:
        return parquet.numeric_columns(
            self.quantities.values(), NAMES | self.between.keys() | self.within.keys()
        )


def write_tables(blocks: Sequence[Path], folder: Path, mark: str = "") -> None:
    """Write <folder>/<table>.parquet for every table, from the blocks of one scenario, with a
    `mark` if they are not released. Raises UserError for an unreadable block or log, and for an
    unfinished campaign without a mark; no table is left behind then."""
    mark = mark or require_whole(blocks, preview=False)
    factors = factors_of(blocks)
    with naming(folder), contextlib.ExitStack() as stack:
        folder.mkdir(parents=True, exist_ok=True)
        writers = {}
        for name, table in TABLES.items():
            part = stack.enter_context(atomic_path(folder / f"{name}.parquet"))
            writer = pq.ParquetWriter(part, _schema(table, factors, mark), **parquet.WRITTEN)
            writers[name] = stack.enter_context(writer)
        for path in blocks:
            archive = BlockArchive(path)
            for name, writer in writers.items():
                rows = list(ROWS_OF[name](archive))
                here = factors.quantities[path.parent]
                writer.write_table(_arrow(rows, writer.schema, factors, here))
            archive.read_rest()


def factors_of(blocks: Sequence[Path]) -> Factors:
    """The factors of the blocks of one scenario. Their levels rise with their numbers, or are in
    the order of the scenarios that the campaigns froze. Raises UserError naming a block that is
    given twice, does not belong where it lies, has cells of other factors than the first block, or
    cannot be pooled with another (require_one_kind)."""
    given = [(path, BlockArchive(path).block) for path in blocks]
    _require_different(given)
    opened = dict(given)
    between: FactorLevels = {}
    within: FactorLevels = {}
    quantities: dict[Path, dict[str, FactorQuantity]] = {}
    for folder in dict.fromkeys(path.parent for path in blocks):
        scenario = _scenario_of({p: block for p, block in given if p.parent == folder})
        quantities[folder] = quantities_of(scenario)
        for factor, levels in scenario.design.factors.items():
            _add(between, factor, levels)
        for cell in scenario.all_cells:
            for probe in scenario.settings(cell).probes.values():
                for factor, level in probe.levels.items():
                    _add(within, factor, [level])
    require_one_kind(opened)
    for factor, known in (between | within).items():
        _rising(known, [of[factor] for of in quantities.values() if factor in of])
    return Factors(between, within, quantities)


def _require_different(blocks: Sequence[tuple[Path, dict[str, Any]]]) -> None:
    """Raises UserError naming a block that is given twice, or has other factors than the first.
    `blocks`: file and its block.json."""
    first, factors = blocks[0][0], list(blocks[0][1]["order"][0])
    seen: dict[tuple[Any, ...], Path] = {}
    for path, block in blocks:
        key = (block["campaign"], block["scenario"], number_of(path, block))
        if key in seen:
            raise UserError(
                f"{path}: block.json: block {key[2]} of {key[0]}/{key[1]}, as {seen[key]} is; "
                "restore both, or give one of them"
            )
        seen[key] = path
        found = list(block["order"][0])
        if found != factors:
            raise UserError(f"{path}: factors {found}, expected {factors} as in {first}")


def _scenario_of(blocks: Mapping[Path, dict[str, Any]]) -> Scenario:
    """The scenario of the blocks in one folder of a campaign, by campaign.yaml. `blocks`: file ->
    its block.json. Raises UserError naming a block that belongs elsewhere. A released campaign has
    first versions of blocks that were measured again, numbered after the planned ones: all
    measurements are in the tables, and each record stays as it was."""
    first = next(iter(blocks))
    frozen, scenario = frozen_with(first)
    cells = sorted(map(key_of, scenario.cells))
    for path, block in blocks.items():
        expected = {
            "campaign": frozen.campaign,
            "scenario": scenario.name,
            "profile": frozen.profile,
            "seed": frozen.seed,
        }
        number, planned = number_of(path, block), scenario.design.blocks
        released = (first.resolve().parents[1] / MANIFEST).exists()
        if not (number > planned >= block["block"] and released):
            expected["block"] = number
        for field, value in expected.items():
            if block[field] != value:
                raise UserError(
                    f"{path}: block.json: {field}: found {block[field]!r}, expected {value!r}, by "
                    "its folder and campaign.yaml; it belongs elsewhere"
                )
        if sorted(map(key_of, block["order"])) != cells:
            raise UserError(
                f"{path}: block.json: order: found other cells than the scenario in campaign.yaml "
                "has; it belongs elsewhere"
            )
    return scenario


def _add(levels: FactorLevels, factor: str, found: Iterable[str]) -> None:
    known = levels.setdefault(factor, [])
    known += [level for level in map(str, found) if level not in known]


def _rising(levels: list[str], quantities: Iterable[FactorQuantity]) -> None:
    """Sort the levels of a factor that is a quantity by number: a later campaign may add some."""
    values = {level: value for one in quantities for level, value in one.values.items()}
    if values.keys() >= {*levels}:
        levels.sort(key=values.__getitem__)


def _arrow(
    rows: list[TidyRow],
    schema: pa.Schema,
    factors: Factors,
    quantities: Mapping[str, FactorQuantity],
) -> pa.Table:
    """Rows of one campaign as a table with all levels of each factor, in their order, and columns
    of numbers for quantities."""
    plain = [field.with_type(pa.string()) if field.type == _LEVEL else field for field in schema]
    made = pa.Table.from_pylist(rows, schema=pa.schema(plain))
    levels = factors.between | factors.within
    numeric = {one.column.name: one for one in factors.numeric}
    columns = []
    for field in schema:
        column = made.column(field.name)
        if field.type == _LEVEL:
            column = _ordered(column, levels[field.name])
        elif field.name in numeric:
            one = numeric[field.name]
            column = parquet.numbers(made.column(one.factor), one, quantities)
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _ordered(column: pa.ChunkedArray, levels: list[str]) -> pa.DictionaryArray:
    known = pa.array(levels, pa.string())
    places = pc.index_in(column.combine_chunks(), value_set=known)
    return pa.DictionaryArray.from_arrays(places, known, ordered=True)


def _schema(table: Table, factors: Factors, mark: str) -> pa.Schema:
    """The Arrow schema of a table; its metadata tells which columns are factors, and the mark of a
    preview."""
    within = factors.within if table.varies_within else {}
    fields: list[Column | pa.Field] = [*KEYS]
    for name, levels in (factors.between | within).items():
        about = {"type": "word", "unit": "", "meaning": "level of this factor"}
        fields.append(pa.field(name, _LEVEL, metadata=about | {"levels": json.dumps(levels)}))
        fields += [parquet.numeric_field(one) for one in factors.numeric if one.factor == name]
    named = {"factors": json.dumps([*factors.between, *within]), "within": json.dumps([*within])}
    marked = {parquet.PREVIEW: mark} if mark else {}
    return parquet.described_schema(table.row, [*fields, *table.columns], named | marked)

"""From a number, a table cell, a mark or a statement of the paper back to the lines of raw logs.
Possible requests: a claim's id; a number's macro; a table with row and column, counted from 1
(`replaywindow-udp:2:3`); a figure with a field of its mark (`pskrsa-ratios:row=RTT`)."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.scenario import scenario_path
from remeasure.paper.notebook.trace.origins_record import FILE
from remeasure.paper.publish.trace.raw_lines import RawLines
from remeasure.paper.tidy.parquet import read_parquet

RESULTS = Path("results")


@dataclass(frozen=True)
class Item:
    """Something in the paper or a notebook about which a reader may ask."""

    kind: str
    """number, table, figure or claim"""
    name: str
    shows: str
    cell: int | None
    """execution count of its cell in the executed notebook"""
    line: int | None
    """line of that cell that handed it over, from 1"""
    origins: list[dict[str, Any]]
    """origins of its values, as in lineage.json (see notebook.trace.origins_record), in which
    `made_from` has places in this list"""
    words: str = ""
    """source of its value; for a claim, its statement and verdict"""


class Handed:
    """The files that one notebook handed over (see notebook.results.Results)."""

    def __init__(self, folder: Path):
        self.name = Name.of_notebook(folder.name)
        self.lineage = json.loads((folder / FILE).read_text())
        self.numbers = json.loads((folder / "numbers.json").read_text())
        claims = folder / "claims.json"
        found = json.loads(claims.read_text()) if claims.exists() else []
        self.claims = {claim["id"]: claim for claim in found}

    def origins(self, places: list[int]) -> list[dict[str, Any]]:
        found = [self.lineage["origins"][place] for place in places]
        return [one | {"made_from": self.origins(one.get("made_from", []))} for one in found]


class Walks:
    """Walks from printed results back to raw logs. Files read for one are kept for the next."""

    def __init__(self, root: Path = ROOT):
        self._root = root
        self._raw = RawLines(root)
        self._handed = cache(Handed)
        self._of = cache(self._read_of)
        self._code = cache(_code)

    def explain(self, name: str, rows: int = 10) -> dict[str, Any]:
        """Everything between a printed result and the raw logs, with the first `rows` observations.
        Raises UserError if nothing has this name, or if `name` is a table or figure without a cell
        or mark."""
        handed, item = self._find(name.lstrip("\\"))
        notebook, scenario = handed.name.notebook, handed.name.scenario
        executed = RESULTS / "notebooks" / f"{notebook}.ipynb"
        return {
            "what": f"{item.kind} {item.name}",
            "shows": item.shows,
            "words": item.words,
            "of": self._of(scenario),
            "printed": _printed(item, handed.name.prefix, self._root),
            "notebook": f"notebooks/{notebook}/{notebook}.ipynb",
            "executed": str(executed),
            "cell": item.cell,
            "line": item.line,
            "code": self._code(item.cell, self._root / executed),
            "estimates": [self._walk(origin, scenario, rows) for origin in item.origins],
        }

    def _read_of(self, scenario: str) -> str:
        """Study, scenario and campaigns of a notebook's results."""
        path, trials = scenario_path(scenario), self._root / RESULTS / "tidy" / scenario
        if not path.exists():
            return "the ledger of all studies, results/handed/*/claims.json"
        table = read_parquet(trials / "trials.parquet")
        campaigns = ", ".join(table.column("campaign").unique().to_pylist())
        document = read_yaml(path)
        study = document["study"] if isinstance(document, dict) else ""
        return (
            f"study {study}, scenario {scenario}, campaigns {campaigns}: {table.num_rows} trials "
            f"of {(trials / 'trials.parquet').relative_to(self._root)}, from the blocks "
            f"data/raw/<campaign>/{scenario}/block-*.zip"
        )

    def _walk(self, origin: dict[str, Any], scenario: str, rows: int) -> dict[str, Any]:
        """An origin with its observations, and the same for the origins in its `made_from`."""
        made_from = [self._walk(one, scenario, rows) for one in origin["made_from"]]
        if "cells" not in origin:
            return origin | {"made_from": made_from}
        tidy = RESULTS / "tidy" / origin.get("scenario", scenario)
        return origin | self._raw.observations(tidy, origin, rows)

    def _find(self, name: str) -> tuple[Handed, Item]:
        base, _, mark = name.partition(":")
        folder, known = self._root / RESULTS / "handed", []
        for file in sorted(folder.glob(f"*/{FILE}")):
            handed = self._handed(file.parent)
            for find in _FINDERS:
                if item := find(handed, base, mark):
                    return handed, item
            made = handed.lineage
            known += [*made["numbers"], *made["tables"], *made["figures"]]
        if not known:
            raise UserError(
                f"{name}: nothing is built yet, found no numbers in {folder}; run "
                "env/run snakemake --cores 4 first"
            )
        near = [other for other in known if base.lower() in other.lower()][:8]
        raise UserError(
            f"{name}: no number, table, figure or claim of this name in {folder}"
            + (f"; there are {', '.join(near)}" if near else "")
        )


def _number(handed: Handed, name: str, mark: str) -> Item | None:
    if name not in handed.lineage["numbers"]:
        return None
    number, entry = handed.numbers[name], handed.lineage["numbers"][name]
    shows = f"{number['text']} {number.get('unit', '')}".strip()
    origins = handed.origins(entry["of"])
    return Item("number", name, shows, entry["cell"], entry["line"], origins, number["source"])


def _table(handed: Handed, name: str, mark: str) -> Item | None:
    # A figure may have the name of a table; a request for one of its marks contains "=".
    if name not in handed.lineage["tables"] or "=" in mark:
        return None
    entry = handed.lineage["tables"][name]
    row, column = _place(name, mark, entry)
    places = [c["of"] for c in entry["cells"] if (c["row"], c["column"]) == (row, column)]
    return Item(
        "table",
        f"{name}:{mark}",
        entry["rows"][row - 1][column - 1],
        entry["cell"],
        entry["line"],
        handed.origins(places[0] if places else []),
        _column_in_words(entry, column),
    )


def _figure(handed: Handed, name: str, mark: str) -> Item | None:
    if name not in handed.lineage["figures"]:
        return None
    entry = handed.lineage["figures"][name]
    chosen = _mark(name, mark, entry["marks"])
    # A sentence next to a chart has several lines.
    shown = [
        f"{key} {' '.join(str(value).split())}"
        for key, value in chosen["mark"].items()
        if isinstance(value, str | float)
    ]
    origins = handed.origins(chosen["of"])
    shows = ", ".join(shown)
    return Item("figure", f"{name}:{mark}", shows, entry["cell"], entry["line"], origins)


def _claim(handed: Handed, name: str, mark: str) -> Item | None:
    if name not in handed.claims:
        return None
    claim = handed.claims[name]
    places = [test["origin"] for test in claim["tests"]]
    origins = handed.origins([place for place in places if place is not None])
    words = (
        f"{claim['says']} Published: {claim['published'] or '(no number)'}. "
        f"{claim['reason'] or claim['note']}"
    )
    return Item("claim", name, claim["verdict"], None, None, origins, words.strip())


_FINDERS: tuple[Callable[[Handed, str, str], Item | None], ...] = (_number, _table, _figure, _claim)
"""functions that each find one kind of item by its name, or return None"""


def _column_in_words(entry: dict[str, Any], column: int) -> str:
    title = entry["columns"][column - 1]
    source = entry["sources"].get(title, "")
    return f"column {title!r}" + (f": {source}" if source else "")


def _place(name: str, mark: str, entry: dict[str, Any]) -> tuple[int, int]:
    rows, columns = len(entry["rows"]), len(entry["columns"])
    try:
        row, column = map(int, mark.split(":"))
    except ValueError:
        raise UserError(
            f"{name}: a table; expected <table>:<row>:<column>, rows 1 to {rows}, "
            f"columns 1 to {columns} ({', '.join(entry['columns'])})"
        ) from None
    if not (1 <= row <= rows and 1 <= column <= columns):
        raise UserError(f"{name}:{mark}: the table has {rows} rows and {columns} columns")
    return row, column


def _mark(name: str, mark: str, marks: list[dict[str, Any]]) -> dict[str, Any]:
    wanted = dict(part.partition("=")[::2] for part in mark.split(",") if part)
    found = [m for m in marks if all(str(m["mark"].get(k)) == v for k, v in wanted.items())]
    if wanted and len(found) == 1:
        return found[0]
    texts = (
        ",".join(f"{k}={v}" for k, v in one["mark"].items() if v and isinstance(v, str))
        for one in found or marks
    )
    some = "; ".join(list(filter(None, dict.fromkeys(texts)))[:6])
    where = f"{name}:{mark}" if mark else name
    raise UserError(
        f"{where}: {len(found)} marks; expected <figure>:<column>=<value>,... that "
        f"tells one from the others, such as {some}"
    )


def _printed(item: Item, prefix: str, root: Path) -> list[str]:
    """Places in the paper's sources where an item is printed, each as file:line."""
    wanted = {
        "number": rf"\{item.name}",
        "table": f"{{{item.name.partition(':')[0]}}}",
        "figure": f"{{{item.name.partition(':')[0]}.pdf}}",
        "claim": f"{prefix}-claims",
    }[item.kind]
    pattern = re.compile(re.escape(wanted) + "(?![A-Za-z])")
    return [
        f"{path.relative_to(root)}:{number}"
        for path in sorted((root / "paper").rglob("*.tex"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    ]


def _code(count: int | None, executed: Path) -> str:
    """The source of the cell with this execution count; '' if there is none."""
    for cell in json.loads(executed.read_text())["cells"]:
        if count and cell.get("execution_count") == count:
            return "".join(cell["source"])
    return ""

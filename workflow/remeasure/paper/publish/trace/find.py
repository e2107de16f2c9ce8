"""From a number, a table cell, a mark or a statement of the paper back to the lines of raw logs.
Possible requests: a claim's id; a number's macro; a table with row and column, counted from 1
(`replaywindow-udp:2:3`); a figure with a field of its mark (`pskrsa-ratios:row=RTT`)."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.names import Name
from remeasure.bench.base.paths import ROOT
from remeasure.bench.campaign.scenario import scenario_path
from remeasure.paper.notebook.trace.origins_record import FILE
from remeasure.paper.publish.trace.raw_lines import RawLines
from remeasure.paper.tidy.parquet import read_parquet

RESULTS = Path("results")


class Shown(NamedTuple):
    shows: str
    words: str
    """source of its value; for a claim, its statement and verdict"""
    places: list[int]
    """places of its origins in lineage.json (see notebook.trace.origins_record)"""


class Handed:
    """The files that one notebook handed over (see notebook.results.Results)."""

    def __init__(self, folder: Path):
        self.name = Name.of_notebook(folder.name)
        lineage = json.loads((folder / FILE).read_text())
        self._origins = lineage["origins"]
        claims = folder / "claims.json"
        found = json.loads(claims.read_text()) if claims.exists() else []
        self.numbers = json.loads((folder / "numbers.json").read_text())
        self.results = {kind: lineage[f"{kind}s"] for kind in ("number", "table", "figure")}
        """kind -> name -> entry"""
        self.results["claim"] = {claim["id"]: claim for claim in found}

    def origins(self, places: list[int]) -> list[dict[str, Any]]:
        """Origins as in lineage.json, with those that they are made from in place of numbers."""
        found = [self._origins[place] for place in places]
        return [one | {"made_from": self.origins(one.get("made_from", []))} for one in found]

    def shown(self, kind: str, name: str, mark: str) -> Shown:
        """A result of one kind. Raises UserError for a table or figure without a cell or mark."""
        entry = self.results[kind][name]
        if kind == "number":
            number = self.numbers[name]
            text = f"{number['text']} {number.get('unit', '')}".strip()
            return Shown(text, number["source"], entry["of"])
        return {"table": _cell, "figure": _mark, "claim": _claim}[kind](name, mark, entry)


class Walks:
    """Walks from printed results back to raw logs. Files read for one are kept for the next."""

    def __init__(self, root: Path = ROOT, results: Path = RESULTS):
        self._root, self._results = root, results
        self._raw = RawLines(root)
        self._handed = cache(Handed)
        self._of = cache(self._read_of)
        self._code = cache(_code)

    def explain(self, name: str, rows: int = 10) -> dict[str, Any]:
        """Everything between a printed result and the raw logs, with the first `rows` observations.
        Raises UserError if nothing has this name, or if `name` is a table or figure without a cell
        or mark."""
        name = name.lstrip("\\")
        handed, kind = self._find(name)
        base, _, mark = name.partition(":")
        shown, entry = handed.shown(kind, base, mark), handed.results[kind][base]
        notebook, scenario = handed.name.notebook, handed.name.scenario
        executed, cell = self._results / "notebooks" / f"{notebook}.ipynb", entry.get("cell")
        origins = handed.origins(shown.places)
        return {
            "what": f"{kind} {name if kind in ('table', 'figure') else base}",
            "shows": shown.shows,
            "words": shown.words,
            "of": self._of(scenario),
            "printed": _printed(kind, base, handed.name.prefix, self._root),
            "notebook": f"notebooks/{notebook}/{notebook}.ipynb",
            "executed": str(executed),
            "cell": cell,
            "line": entry.get("line"),
            "code": self._code(cell, self._root / executed),
            "estimates": [self._walk(origin, scenario, rows) for origin in origins],
        }

    def _read_of(self, scenario: str) -> str:
        """Study, scenario and campaigns of a notebook's results."""
        path, trials = scenario_path(scenario), self._root / self._results / "tidy" / scenario
        if not path.exists():
            of_claims = "the ledger of all studies, results/handed/*/claims.json"
            return of_claims if scenario == "claims" else "no scenario: its source, above"
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
        tidy = self._results / "tidy" / origin.get("scenario", scenario)
        return origin | self._raw.observations(tidy, origin, rows)

    def _find(self, name: str) -> tuple[Handed, str]:
        """The notebook that handed over a result of this name, and the kind of the result."""
        base, _, mark = name.partition(":")
        folder, known = self._root / self._results / "handed", []
        for file in sorted(folder.glob(f"*/{FILE}")):
            handed = self._handed(file.parent)
            for kind, results in handed.results.items():
                # A figure may have the name of a table; a request for its mark contains "=".
                if base in results and not (kind == "table" and "=" in mark):
                    return handed, kind
                known += [*results] if kind != "claim" else []
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


def _cell(name: str, mark: str, entry: Mapping[str, Any]) -> Shown:
    rows, columns = len(entry["rows"]), entry["columns"]
    try:
        row, column = map(int, mark.split(":"))
    except ValueError:
        raise UserError(
            f"{name}: a table; expected <table>:<row>:<column>, rows 1 to {rows}, "
            f"columns 1 to {len(columns)} ({', '.join(columns)})"
        ) from None
    if not (1 <= row <= rows and 1 <= column <= len(columns)):
        raise UserError(f"{name}:{mark}: the table has {rows} rows and {len(columns)} columns")
    places = [
        cell["of"] for cell in entry["cells"] if (cell["row"], cell["column"]) == (row, column)
    ]
    title = columns[column - 1]
    source = entry["sources"].get(title, "")
    words = f"column {title!r}" + (f": {source}" if source else "")
    return Shown(entry["rows"][row - 1][column - 1], words, places[0] if places else [])


def _mark(name: str, mark: str, entry: Mapping[str, Any]) -> Shown:
    wanted = dict(part.partition("=")[::2] for part in mark.split(",") if part)
    marks = entry["marks"]
    found = [m for m in marks if all(str(m["mark"].get(k)) == v for k, v in wanted.items())]
    if wanted and len(found) == 1:
        # A sentence next to a chart has several lines.
        shown = [
            f"{key} {' '.join(str(value).split())}"
            for key, value in found[0]["mark"].items()
            if isinstance(value, str | float)
        ]
        return Shown(", ".join(shown), "", found[0]["of"])
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


def _claim(name: str, mark: str, entry: Mapping[str, Any]) -> Shown:
    places = [test["origin"] for test in entry["tests"] if test["origin"] is not None]
    words = (
        f"{entry['says']} Published: {entry['published'] or '(no number)'}. "
        f"{entry['reason'] or entry['note']}"
    )
    return Shown(entry["verdict"], words.strip(), places)


def _printed(kind: str, name: str, prefix: str, root: Path) -> list[str]:
    """Places in the paper's sources where a result is printed, each as file:line."""
    wanted = {
        "number": rf"\{name}",
        "table": f"{{{name}}}",
        "figure": f"{{{name}.pdf}}",
        "claim": f"{prefix}-claims",
    }[kind]
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

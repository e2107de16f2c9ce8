"""From a number, a table cell, a mark or a statement of the paper back to the lines of raw logs.

What can be asked for: a claim's id; a number's macro; a table with row and column, counted from 1
(`replaywindow-udp:2:3`); a figure with what its mark shows (`pskrsa-ratios:row=RTT`).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from remeasure.campaign.archive import BlockArchive
from remeasure.campaign.release import file_hash, released_hash
from remeasure.errors import UserError
from remeasure.paths import ROOT
from remeasure.publish.trace.record import FILE

RESULTS = Path("results")


@dataclass(frozen=True)
class Item:
    """Something that a reader may ask about, and where it was made."""

    notebook: str
    kind: str
    """number, table, figure or claim"""
    name: str
    shows: str
    cell: int | None
    """execution count in the executed notebook"""
    origins: list[dict]
    """of lineage.json, see publish.trace"""
    words: str = ""
    """on where it is from, or, of a claim, what it says and what came of it"""


def explain(name: str, root: Path = ROOT, rows: int = 10) -> dict:
    """Everything between what is printed and the raw logs; of observations the first `rows`.

    Raises UserError if nothing has this name, or a table or figure needs a cell or a mark.
    """
    item = _find(name.lstrip("\\"), root)
    return {
        "what": f"{item.kind} {item.name}",
        "shows": item.shows,
        "words": item.words,
        "printed": _printed(item, root),
        "notebook": f"notebooks/{item.notebook}.ipynb",
        "executed": f"{RESULTS}/notebooks/{item.notebook}.ipynb",
        "cell": item.cell,
        "code": _code(item, root),
        "estimates": [
            origin | _observations(item.notebook, origin, root, rows) for origin in item.origins
        ],
    }


def _find(name: str, root: Path) -> Item:
    base, _, mark = name.partition(":")
    known = []
    for file in sorted((root / RESULTS / "handed").glob(f"*/{FILE}")):
        notebook, made = file.parent.name, json.loads(file.read_text())

        def of(places: list[int], origins: list[dict] = made["origins"]) -> list[dict]:
            return [origins[place] for place in places]

        if base in made["numbers"]:
            number, entry = _number(file, base), made["numbers"][base]
            return Item(
                notebook,
                "number",
                base,
                f"{number['text']} {number.get('unit', '')}",
                entry["cell"],
                of(entry["of"]),
                number["source"],
            )
        if base in made["tables"] and "=" not in mark:
            entry = made["tables"][base]
            row, column = _place(name, mark, entry)
            found = [c["of"] for c in entry["cells"] if (c["row"], c["column"]) == (row, column)]
            return Item(
                notebook,
                "table",
                name,
                entry["rows"][row - 1][column - 1],
                entry["cell"],
                of(found[0] if found else []),
                f"column {entry['columns'][column - 1]!r}",
            )
        if base in made["figures"]:
            entry = made["figures"][base]
            chosen = _mark(name, mark, entry["marks"])
            shown = {
                key: value
                for key, value in chosen["mark"].items()
                if isinstance(value, str | float)
            }
            return Item(
                notebook,
                "figure",
                name,
                ", ".join(f"{key} {value}" for key, value in shown.items()),
                entry["cell"],
                of(chosen["of"]),
            )
        if claim := _claim(file, base):
            return Item(
                notebook,
                "claim",
                base,
                claim["verdict"],
                None,
                [
                    o
                    for test in claim["tests"]
                    for o in made["origins"]
                    if (o["says"], o["value"]) == (test["quantity"], test["value"])
                ],
                f"{claim['says']} Published: {claim['published'] or '(no number)'}. "
                f"{claim['reason'] or claim['note']}".strip(),
            )
        known += [*made["numbers"], *made["tables"], *made["figures"]]
    near = [other for other in known if base.lower() in other.lower()][:8]
    raise UserError(
        f"{name}: no number, table, figure or claim of this name in "
        f"{root / RESULTS / 'handed'}" + (f"; there are {', '.join(near)}" if near else "")
    )


def _number(lineage: Path, name: str) -> dict:
    return json.loads(lineage.with_name("numbers.json").read_text())[name]


def _claim(lineage: Path, name: str) -> dict | None:
    file = lineage.with_name("claims.json")
    claims = json.loads(file.read_text()) if file.exists() else []
    return next((claim for claim in claims if claim["id"] == name), None)


def _place(name: str, mark: str, entry: dict) -> tuple[int, int]:
    rows, columns = len(entry["rows"]), len(entry["columns"])
    try:
        row, column = map(int, mark.split(":"))
    except ValueError:
        raise UserError(
            f"{name}: a table; expected <table>:<row>:<column>, rows 1 to {rows}, "
            f"columns 1 to {columns} ({', '.join(entry['columns'])})"
        ) from None
    if not (1 <= row <= rows and 1 <= column <= columns):
        raise UserError(f"{name}: the table has {rows} rows and {columns} columns")
    return row, column


def _mark(name: str, mark: str, marks: list[dict]) -> dict:
    wanted = dict(part.partition("=")[::2] for part in mark.split(",") if part)
    found = [m for m in marks if all(str(m["mark"].get(k)) == v for k, v in wanted.items())]
    if wanted and len(found) == 1:
        return found[0]
    some = "; ".join(
        ",".join(f"{k}={v}" for k, v in m["mark"].items() if isinstance(v, str))
        for m in (found or marks)[:6]
    )
    raise UserError(
        f"{name}: {len(found)} marks; expected <figure>:<column>=<value>,... that "
        f"tells one from the others, such as {some}"
    )


def _printed(item: Item, root: Path) -> list[str]:
    """file:line of the paper's sources."""
    wanted = {
        "number": rf"\{item.name}",
        "table": f"{{{item.name.partition(':')[0]}}}",
        "figure": f"{{{item.name.partition(':')[0]}.pdf}}",
        "claim": f"{item.notebook.replace('_', '')}-claims",
    }[item.kind]
    pattern = re.compile(re.escape(wanted) + "(?![A-Za-z])")
    return [
        f"{path.relative_to(root)}:{number}"
        for path in sorted((root / "paper").rglob("*.tex"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line)
    ]


def _code(item: Item, root: Path) -> str:
    document = json.loads((root / RESULTS / "notebooks" / f"{item.notebook}.ipynb").read_text())
    return next(
        (
            "".join(cell["source"])
            for cell in document["cells"]
            if item.cell and cell.get("execution_count") == item.cell
        ),
        "",
    )


def _observations(notebook: str, origin: dict, root: Path, rows: int) -> dict:
    folder = root / RESULTS / "tidy" / notebook.replace("_", "-")
    table = pd.read_parquet(
        folder / "observations.parquet", filters=[("metric", "==", origin["metric"])]
    )
    chosen = _of_cells(table, origin)
    if chosen.empty:
        counters = _of_cells(pd.read_parquet(folder / "counters.parquet"), origin)
        return {
            "from": "derived in the notebook, of what these trials recorded; their counters "
            f"are {len(counters)} rows of counters.parquet",
            "rows": len(counters),
            "lines": list(_lines(counters.drop_duplicates(["block", "trial", "file"]), root, rows)),
        }
    return {
        "from": f"{len(chosen)} rows of {folder.relative_to(root)}/observations.parquet",
        "rows": len(chosen),
        "lines": list(_lines(chosen, root, rows)),
    }


def _of_cells(table: pd.DataFrame, origin: dict) -> pd.DataFrame:
    """Rows of an estimate's cells; of several campaigns the first is what notebooks estimate of. A
    level that the table does not have is a notebook's name for all of them."""
    if table.empty:
        return table
    table = table[table["campaign"] == table["campaign"].cat.categories[0]]
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
        # Of a capture the line is the packet's number.
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

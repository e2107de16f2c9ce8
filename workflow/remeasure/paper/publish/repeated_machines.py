"""The machines on which released blocks in virtual time were measured, and whether they came out
with the same bytes: the table of docs/virtual-time.md, from the files beside the blocks and from
data/captured/repeated.csv."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from remeasure.bench.base.paths import RAW, ROOT
from remeasure.bench.campaign.folder import read_frozen
from remeasure.bench.campaign.release import manifest_path
from remeasure.bench.lab.testbeds import is_virtual
from remeasure.paper.notebook.measurements import Seen, seen
from remeasure.paper.publish import generated

PAGE = ROOT / "docs" / "virtual-time.md"


def released_blocks() -> list[Path]:
    """Block archives of all released campaigns in virtual time."""
    found = []
    for folder in sorted(path for path in RAW.glob("*") if path.is_dir()):
        frozen = read_frozen(folder.name)
        if frozen and is_virtual(frozen.testbed) and manifest_path(folder.name).exists():
            found += sorted(folder.glob("*/block-*.zip"))
    return found


def machines_table(measurements: Iterable[Seen]) -> str:
    """The Markdown table: one row for each machine, as far as it is known."""
    table = pd.DataFrame(list(measurements), columns=Seen._fields)
    lines = [
        "| processor | kernel | distribution | blocks | measured | same bytes | last |",
        "|---|---|---|---|---|---|---|",
    ]
    by = ["release", "cpu", "kernel", "system"]
    for (_, cpu, kernel, system), rows in table.groupby(by, sort=False):
        numbers = rows["block"].nunique(), len(rows), int(rows["same"].sum()), rows["day"].max()
        lines.append(f"| {cpu} | {kernel} | {system} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines) + "\n"


def updated(text: str, path: Path = PAGE) -> str:
    """The text of the page with its table made again. Raises UserError."""
    return generated.updated(
        text, path, {"machines": lambda: machines_table(seen(released_blocks()))}
    )


def update(path: Path = PAGE) -> None:
    """Write the table of the page again. Raises UserError."""
    path.write_text(updated(path.read_text(), path))

"""The machines on which released blocks in virtual time were measured, and whether they came out
with the same bytes: the table of docs/virtual-time.md, from what stands beside the blocks and from
data/captured/repeated.csv."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from remeasure.campaign.folder import read_frozen
from remeasure.campaign.release import manifest_path
from remeasure.campaign.repetitions import read_repetitions
from remeasure.campaign.virtual import read_machines
from remeasure.errors import UserError
from remeasure.hashes import file_hash
from remeasure.lab.testbeds import is_virtual
from remeasure.paths import RAW, ROOT
from remeasure.publish import generated

PAGE = ROOT / "docs" / "virtual-time.md"
NOT_RECORDED = "not recorded"
_BEFORE, _AFTER = "before", "after"
"""whether a block was measured before it was released, or after"""


class Seen(NamedTuple):
    """One measurement of a released block."""

    block: str
    """<campaign>/<scenario>/<block>"""
    cpu: str
    """model of the machine's processor"""
    kernel: str
    system: str
    """the machine's distribution"""
    same: bool
    """whether the bytes are those of the released block"""
    day: str
    release: str
    """before or after the release of the block"""


def seen(blocks: Iterable[Path]) -> Iterator[Seen]:
    """Yield each measurement of these released blocks in virtual time. Raises UserError if the
    table of repetitions has another hash of a block than its file."""
    known = {}
    for archive in blocks:
        released = file_hash(archive)
        name = f"{archive.parent.parent.name}/{archive.parent.name}/{archive.stem}"
        known[name] = released
        for one in read_machines(archive):
            machine = str(one.machine["cpu"]), str(one.machine["kernel"]), NOT_RECORDED
            yield Seen(name, *machine, one.sha256 == released, one.start[:10], _BEFORE)
    for row in read_repetitions():
        name = f"{row.campaign}/{row.scenario}/block-{row.block:02d}"
        if name not in known:
            continue
        if row.released != known[name]:
            raise UserError(
                f"repeated.csv: {name}: released: found {row.released}, expected {known[name]}, "
                "the hash of the block; remove the row"
            )
        same = row.same == "yes"
        yield Seen(name, row.cpu, row.kernel, row.system, same, row.date, _AFTER)


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

"""Blocks with something changed at random, read through to tables.

    env/run python tests/tidy/mutations.py --seconds 600

tries as many as it can in this time; a seed gives the same block each time. What comes out is
tables that do not contradict the block, or one line that says why not.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1]))

from block_changes import mutated
from blocks import smaller
from projects import LEFT

from remeasure.bench.base.errors import UserError
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.paper.tidy.tables import write_tables

SOURCE = LEFT / "lab-2026-11/psk-rsa/block-01.zip"


def bases(folder: Path) -> list[Path]:
    """Blocks to change: as released in format 1, in the present format, each in its campaign; and
    one trial outside a campaign."""
    found = []
    for name in ("old", "present"):
        campaign = folder / name / SOURCE.parents[1].name
        shutil.copytree(SOURCE.parents[1], campaign)
        found.append(campaign / SOURCE.relative_to(SOURCE.parents[1]))
    smaller(BlockArchive(SOURCE), found[1], lambda record: True)
    found.append(folder / "alone/block-01.zip")
    found[-1].parent.mkdir()
    smaller(BlockArchive(SOURCE), found[-1], lambda record: record["order"] == 1)
    return found


def read(block: Path, tables: Path) -> str:
    """Read a block through to tables. Returns "read", or "refused". Raises AssertionError for
    tables that contradict the block, or a message of several lines."""
    try:
        write_tables([block], tables)
    except UserError as error:
        assert str(error).isprintable(), str(error)
        assert not [*tables.glob("*")]
        return "refused"
    archive = BlockArchive(block)
    accepted = [t.record["order"] for t in archive.trials if t.record["verdict"] != "rejected"]
    for path in tables.glob("*.parquet"):
        table = pq.read_table(path)
        for key in ("campaign", "scenario", "block"):
            assert set(table[key].to_pylist()) <= {archive.block[key]}, (path.name, key)
        assert set(table["trial"].to_pylist()) <= {t.record["order"] for t in archive.trials}
        if path.stem == "checks":
            counted = table.filter(pc.is_in(table["trial"], pa.array(accepted, pa.int32())))
            assert all(counted["passed"].to_pylist())
        elif path.stem != "counters":
            rows = [tuple(row.items()) for row in table.to_pylist()]
            assert len(set(map(repr, rows))) == len(rows), f"{path.name}: rows twice"
        path.unlink()
    return "read"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seconds", type=float, default=600)
    asked.add_argument("--first", type=int, default=0, help="seed of the first block")
    options = asked.parse_args()
    ended: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        blocks = bases(Path(temporary))
        contents = [block.read_bytes() for block in blocks]
        end, seed = time.monotonic() + options.seconds, options.first
        while time.monotonic() < end:
            which = seed % len(blocks)
            blocks[which].write_bytes(mutated(contents[which], seed))
            try:
                ended[read(blocks[which], Path(temporary) / "tables")] += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                ended[type(error).__name__] += 1
                print(f"seed {seed}: {type(error).__name__}: {str(error)[:300]!r}", flush=True)
                shutil.rmtree(Path(temporary) / "tables", ignore_errors=True)
            seed += 1
    print(dict(ended))


if __name__ == "__main__":
    main()

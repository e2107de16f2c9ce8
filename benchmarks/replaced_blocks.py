"""What the blocks say that were replaced, and those in their place: write
data/captured/eap-methods.replaced.csv.

    env/run python benchmarks/replaced_blocks.py

Blocks 1 and 2 of campaign lab-2026-11-eap-pinned were measured twice, and the second is released.
The first stay in the history of the repository, from which this script reads them, with the verdict
that the ledger had then: it needs a clone with its history (not a shallow one).
"""

import csv
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from remeasure.analysis.coverage.replaced_blocks import CAPTURED, CLAIM, COLUMNS
from remeasure.campaign.archive import BlockArchive
from remeasure.paths import ROOT
from remeasure.tidy.rows import observation_rows

COMMIT = "18ca624"
"""commit that replaced the blocks"""
CAMPAIGN = "data/raw/lab-2026-11-eap-pinned/eap-methods"
LEDGER = "data/tidy/claims.parquet"


def main() -> None:
    before, after = f"{COMMIT}^", COMMIT
    replaced = _git("diff", "--name-only", before, after, "--", f"{CAMPAIGN}/block-*.zip")
    with CAPTURED.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(_rows("first", before, replaced.decode().split()))
        writer.writerows(_rows("released", after, _blocks_of(after)))


def _rows(measured: str, commit: str, blocks: list[str]) -> Iterator[dict]:
    """Yield the rows of blocks as they were at a commit."""
    for path in sorted(blocks):
        yield {
            "block": int(path[-6:-4]),
            "measured": measured,
            "commit": _git("rev-parse", "--short=7", commit).decode().strip(),
            "verdict": _verdict(commit),
            **_delays(_git("show", f"{commit}:{path}")),
        }


def _blocks_of(commit: str) -> list[str]:
    listed = _git("ls-tree", "--name-only", commit, f"{CAMPAIGN}/").decode().split()
    return [path for path in listed if path.endswith(".zip")]


def _delays(block: bytes) -> dict[str, str]:
    """The median delay of a direct negotiation between neighbours with chains of two and of four
    certificates [ms]."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "block.zip"
        path.write_bytes(block)
        rows = pd.DataFrame(observation_rows(BlockArchive(path)))
    here = rows.query("probe == 'direct' and metric == 'delay' and rtt == '0'")
    found = here.groupby("method")["value"].median()
    return {"two_ms": f"{found['eap-tls-2-2']:.5f}", "four_ms": f"{found['eap-tls-4-4']:.5f}"}


def _verdict(commit: str) -> str:
    """The ledger's verdict on the claim at a commit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.parquet"
        path.write_bytes(_git("show", f"{commit}:{LEDGER}"))
        ledger = pd.read_parquet(path, columns=["id", "verdict"])
    return str(ledger.loc[ledger["id"] == CLAIM, "verdict"].iloc[0])


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout


if __name__ == "__main__":
    main()

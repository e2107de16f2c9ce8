"""What a verdict owes to blocks that were measured again, and released in place of the first.

data/captured/eap-methods.replaced.csv has both versions of the blocks of campaign
lab-2026-11-eap-pinned (benchmarks/replaced_blocks.py).
"""

from pathlib import Path

import pandas as pd

from remeasure.analysis.estimates import Estimate, mean_estimate
from remeasure.paths import ROOT

CAPTURED = ROOT / "data" / "captured" / "eap-methods.replaced.csv"
CLAIM = "faigl-chain-2-to-4-30pct"
"""statement whose verdict changed with the blocks"""
COLUMNS = ("block", "measured", "commit", "verdict", "two_ms", "four_ms")
"""columns of the file: number of the block; first or released; commit at which it lay in the tree,
and the ledger's verdict on CLAIM there; median delay with chains of two and four certificates"""


def read_replaced(path: Path = CAPTURED) -> pd.DataFrame:
    """The rows of the file, with the ratio of the delays. Raises FileNotFoundError."""
    table = pd.read_csv(path)
    return table.assign(ratio=table["four_ms"] / table["two_ms"])


def as_first_measured(blocks: pd.DataFrame) -> pd.DataFrame:
    """Of `read_replaced`, one row for each block: the first version of those that have two."""
    return blocks.sort_values("measured").drop_duplicates("block").sort_values("block")


def ratio_of(blocks: pd.DataFrame) -> Estimate:
    """The geometric mean of the blocks' ratios, with Student's interval."""
    return mean_estimate(blocks["ratio"].to_numpy(), logarithms=True)

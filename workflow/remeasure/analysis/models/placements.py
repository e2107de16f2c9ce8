"""What difference the bench can see, with guests that keep their core and with guests that wander.

Cells of scenario algorithm-sweep were measured against themselves with either
(benchmarks/placements.py).
"""

from pathlib import Path

import pandas as pd

from remeasure.analysis.models.resolution import resolution
from remeasure.paths import ROOT

CAPTURED = ROOT / "data" / "captured" / "calibration.placements.csv"
PLACEMENTS = ("pinned", "wandering")
CELL = ["suite", "transport", "payload"]


def compared_placements(path: Path = CAPTURED) -> pd.DataFrame:
    """One row for each suite, transport, payload [byte] and metric (the index), and columns for
    each of `PLACEMENTS`: (placement, mean) [unit of the metric], (placement, half): half the width
    of the interval of a ratio of the cell to itself [%], (placement, variation): standard deviation
    of trials [%], (placement, rounds). Raises FileNotFoundError."""
    trials = pd.read_csv(path, dtype=dict.fromkeys(CELL, str))
    tables = {}
    for placement in PLACEMENTS:
        here = trials[trials["placement"] == placement]
        means = here.groupby([*CELL, "metric"], sort=False)["value"].mean().rename("mean")
        found = pd.concat(
            {
                suite: resolution(of_suite, "twin", ("a", "b"), CELL[1:])
                for suite, of_suite in here.groupby("suite", sort=False)
            },
            names=["suite"],
        )
        found = found.reset_index("suite").reset_index(drop=True)
        levels = found["levels"].str.split(" ", expand=True).set_axis(CELL[1:], axis=1)
        found = found.join(levels).rename(columns={"n": "rounds"})
        found = found.set_index([*CELL, "metric"])[["half", "variation", "rounds"]]
        tables[placement] = means.to_frame().join(found)
    return pd.concat(tables, axis=1)

"""What difference the bench can see, with guests that keep their core and with guests that wander.

Cells of scenario algorithm-sweep were measured against themselves with either
(benchmarks/placements.py).
"""

from pathlib import Path

import pandas as pd

from remeasure.analysis.models.resolution import resolution
from remeasure.paths import ROOT

CAPTURED = ROOT / "data" / "captured" / "calibration.placements.csv"
AT_PACE = "_at_pace"
"""how the names of costs at the usual pace of the cores end (benchmarks/pace.py)"""
PLACEMENTS = ("pinned", "wandering")
COMPARED = ("goodput", "cpu_per_megabyte")
"""metrics by which placements are compared"""
CELL = ["suite", "transport", "payload"]


def compared_placements(machine: str, path: Path = CAPTURED) -> pd.DataFrame:
    """One row for each suite, transport, payload [byte] and metric of `COMPARED` (the index), and
    columns for each of `PLACEMENTS`: (placement, mean) [unit of the metric], (placement, half):
    half the width of the interval of a ratio of the cell to itself [%], (placement, variation):
    standard deviation of trials [%], (placement, rounds). `machine`: a name in the file. Raises
    FileNotFoundError."""
    trials = _read(path)
    trials = trials[(trials["machine"] == machine) & trials["metric"].isin(COMPARED)]
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


def at_usual_pace(path: Path = CAPTURED) -> pd.DataFrame:
    """What the pace of the cores explains of processor time with pinned guests, on the machines on
    which it was noted. One row for each cell (the index: machine, suite, transport and payload) and
    metric, with columns `metric`, `counted` and `at pace`: half the width of the interval of a
    ratio of the cell to itself [%], with processor time as it was counted and at the usual pace;
    and `rounds`. Raises FileNotFoundError."""
    trials = _read(path)
    noted = trials.loc[trials["metric"].str.endswith(AT_PACE), "machine"].unique()
    trials = trials[trials["machine"].isin(noted) & (trials["placement"] == "pinned")]
    trials = trials[trials["metric"] != "goodput"]
    found = resolution(trials, "twin", ("a", "b"), ["machine", *CELL])
    paced = found["metric"].str.endswith(AT_PACE)
    found = found.assign(metric=found["metric"].str.removesuffix(AT_PACE))
    keys = ["levels", "metric"]
    both = found[~paced].merge(found[paced], on=keys, suffixes=("", " at pace"))
    both = both.rename(columns={"half": "counted", "half at pace": "at pace", "n": "rounds"})
    return both.set_index("levels")[["metric", "counted", "at pace", "rounds"]]


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=dict.fromkeys(CELL, str))

"""What difference the testbed can see, with pinned and with unpinned guests.

Cells of scenario algorithm-sweep were measured against themselves with either.
"""

from pathlib import Path

import pandas as pd

from remeasure.bench.base.paths import ROOT
from remeasure.paper.analysis.coverage.resolution import resolution

CAPTURED = ROOT / "data" / "captured" / "calibration.placements.csv"
AT_PACE = "_at_pace"
"""how the names of costs at the usual pace of the cores end (benchmarks/pace.py)"""
PLACEMENTS = ("pinned", "wandering")
COMPARED = ("goodput", "cpu_per_megabyte")
"""metrics by which placements are compared"""
_FLOW = ["suite", "transport", "payload"]
CELL = [*_FLOW, "variant"]
"""what a flow was: `variant` is usual, as the scenario says; nodelay, without Nagle's algorithm; or
gigabit, through links of 1 Gbit/s in place of 100 Mbit/s"""


def compared_placements(machine: str, path: Path = CAPTURED) -> pd.DataFrame:
    """One row for each suite, transport, payload [byte] and metric of `COMPARED` (the index), and
    columns for each of `PLACEMENTS`: (placement, mean) [unit of the metric], (placement, half):
    half the width of the interval of a ratio of the cell to itself [%], (placement, variation):
    standard deviation of trials [%], (placement, rounds). Only variant usual is told of. `machine`:
    a name in the file. Raises FileNotFoundError."""
    trials = _read(path)
    trials = trials[(trials["machine"] == machine) & trials["metric"].isin(COMPARED)]
    trials = trials.query("variant == 'usual'")
    tables = {}
    for placement in PLACEMENTS:
        here = trials[trials["placement"] == placement]
        means = here.groupby([*_FLOW, "metric"], sort=False)["value"].mean().rename("mean")
        found = pd.concat(
            {
                suite: resolution(of_suite, "twin", ("a", "b"), _FLOW[1:])
                for suite, of_suite in here.groupby("suite", sort=False)
            },
            names=["suite"],
        )
        found = found.reset_index("suite").reset_index(drop=True)
        levels = found["levels"].str.split(" ", expand=True).set_axis(_FLOW[1:], axis=1)
        found = found.join(levels).rename(columns={"n": "rounds"})
        found = found.set_index([*_FLOW, "metric"])[["half", "variation", "rounds"]]
        tables[placement] = means.to_frame().join(found)
    return pd.concat(tables, axis=1)


def half_widths(path: Path = CAPTURED) -> pd.DataFrame:
    """What difference the bench can see with pinned guests, machine by machine: half the width of
    the interval of a ratio of the cell to itself [%]. One row for each metric, suite, transport,
    payload [byte] and variant (the index). Columns: (machine, as counted), and on machines whose
    pace was noted (machine, at pace): costs at the usual pace of the cores; NaN where nothing was
    measured. Raises FileNotFoundError."""
    trials = _read(path).query("placement == 'pinned'")
    found = resolution(trials, "twin", ("a", "b"), ["machine", *CELL])
    found[["machine", *CELL]] = found["levels"].str.split(" ", expand=True)
    paced = found["metric"].str.endswith(AT_PACE)
    found["time"] = paced.map({False: "as counted", True: "at pace"})
    found["metric"] = found["metric"].str.removesuffix(AT_PACE)
    rows = ["metric", *CELL]
    table = found.pivot(index=rows, columns=["machine", "time"], values="half")
    return table.sort_index(axis=1).sort_index(ascending=False)


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=dict.fromkeys(CELL, str))

"""Tables that other programs made once, which notebook calibration shows (data/README.md)."""

import pandas as pd

from remeasure.bench.base.paths import ROOT

CAPTURED = ROOT / "data/captured"
PLACEMENTS = ("pinned", "wandering")
_AT_PACE = "_at_pace"
"""how the names of costs at the usual pace of the cores end (env/benchmarks/pace.py)"""
_FLOW = ["suite", "transport", "payload"]
_CELL = [*_FLOW, "variant"]


def _half_widths() -> pd.DataFrame:
    return pd.read_csv(CAPTURED / "calibration.half-widths.csv", dtype=dict.fromkeys(_CELL, str))


def compared_placements(machine: str) -> pd.DataFrame:
    """One row for each suite, transport, payload [byte] and metric (the index) of variant usual,
    with columns (placement, mean) [unit of the metric], (placement, half): half the width of the
    interval of a ratio of the cell to itself [%], (placement, variation): standard deviation of
    trials [%], (placement, rounds)."""
    found = _half_widths().query("machine == @machine and variant == 'usual'")
    found = found[found["metric"].isin(["goodput", "cpu_per_megabyte"])]
    found = found.set_index([*_FLOW, "metric"])
    columns = ["mean", "half", "variation", "rounds"]
    return pd.concat(
        {place: found.loc[found["placement"] == place, columns] for place in PLACEMENTS}, axis=1
    )


def half_widths() -> pd.DataFrame:
    """Half the width of the interval of a ratio of a cell to itself [%], with pinned guests. One
    row for each metric, suite, transport, payload [byte] and variant (the index). Columns:
    (machine, as counted), and on machines whose pace was noted (machine, at pace): costs at the
    usual pace of the cores. NaN: not measured."""
    found = _half_widths().query("placement == 'pinned'")
    paced = found["metric"].str.endswith(_AT_PACE).map({False: "as counted", True: "at pace"})
    found = found.assign(time=paced, metric=found["metric"].str.removesuffix(_AT_PACE))
    table = found.pivot(index=["metric", *_CELL], columns=["machine", "time"], values="half")
    return table.sort_index(axis=1).sort_index(ascending=False)


def simulated(table: str) -> pd.DataFrame:
    """Simulated campaigns with a known answer: cases, pooled, beyond or others (the captured
    table's first column). Shares of campaigns, 0 to 1: held (the intervals include the truth),
    endless (an interval has no upper end), false (the most frequent false verdict), any false."""
    found = pd.read_csv(CAPTURED / "calibration.simulated.csv", dtype={"campaigns": "Int64"})
    return found[found["table"] == table].drop(columns="table").reset_index(drop=True)

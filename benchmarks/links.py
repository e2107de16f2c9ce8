"""Measure what links of scenario calibration do, in real and in virtual time; write
data/captured/calibration.links.csv, which notebook `calibration` shows.

    env/run python benchmarks/links.py [real|virtual] [NETWORK...]     # 2 minutes a network

Each cell is measured against itself (`remeasure aa`), in rounds of two trials. A trial sends echoes
of two sizes and fills the link, with TCP and with UDP. What was measured of a clock and network
before is replaced. Keep the machine otherwise idle, but for virtual time.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from remeasure.analysis.models.links import CAPTURED, CLOCKS, FULL, echoes_longer
from remeasure.analysis.summaries import read_tables, trial_summaries
from remeasure.atomic import atomic_write

ROOT = Path(__file__).resolve().parents[1]
TESTBEDS = dict(zip(CLOCKS, ("lab", "virtual"), strict=True))
NETWORKS = ("normal", "rate-10", "rate-24", "rate-100", "rate-1000")
"""normal has no rate: hosts alone"""
ROUNDS = {"real": 4, "virtual": 3}
"""clock -> rounds; in virtual time they differ by their seed alone"""
COLUMNS = ["clock", "network", "round", "twin", "verdict", "probe", "metric", "unit", "value"]


def measure(clock: str, network: str) -> pd.DataFrame:
    """Measure one cell against itself; returns rows of the file. Raises SystemExit if that
    failed."""
    probes = ["sizes", *(FULL if network != "normal" else [])]
    command = ["remeasure", "aa", "calibration", "--cell", f"arm=a,network={network}"]
    command += ["--rounds", str(ROUNDS[clock]), "--profile", "quick"]
    command += ["--testbed", TESTBEDS[clock], "--probes", ",".join(probes)]
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE)
    print(done.stdout, flush=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed")
    folder = Path(done.stdout.rsplit("Blocks and tables: ", 1)[1].strip())
    return rows_of(folder).assign(clock=clock, network=network)[COLUMNS]


def rows_of(folder: Path) -> pd.DataFrame:
    """What was measured of one cell, as rows of the file without clock and network."""
    tables = read_tables(folder)
    verdicts = tables["trials"][["block", "trial", "verdict"]]
    seen, factors = tables["observations"], tables.factors
    rates = trial_summaries(seen[seen["metric"] == "goodput"], factors)
    found = pd.concat([echoes_longer(seen, factors), rates]).merge(verdicts, on=["block", "trial"])
    values = found["value"].map("{:.6g}".format)
    return found.rename(columns={"block": "round"}).assign(value=values)


def main(clocks: Sequence[str], networks: Sequence[str]) -> None:
    for clock in clocks:
        for network in networks:
            found = measure(clock, network).astype(str)
            if CAPTURED.exists():
                before = pd.read_csv(CAPTURED, dtype=str)
                again = (before["clock"] == clock) & (before["network"] == network)
                found = pd.concat([before[~again], found])
            order = {name: place for place, name in enumerate((*CLOCKS, *NETWORKS))}
            found = found.sort_values(
                ["clock", "network"], key=lambda names: names.map(order), kind="stable"
            )
            atomic_write(CAPTURED, found.to_csv(index=False))


if __name__ == "__main__":
    asked = sys.argv[1:]
    if unknown := ", ".join(set(asked) - {*CLOCKS, *NETWORKS}):
        sys.exit(f"found {unknown}, expected names of {', '.join((*CLOCKS, *NETWORKS))}")
    main(
        [name for name in CLOCKS if name in asked] or CLOCKS,
        [name for name in NETWORKS if name in asked] or NETWORKS,
    )

"""Measure what difference the bench can see with guests on cores of their own and with guests that
wander; write data/captured/calibration.placements.csv, which notebook `calibration` shows.

    env/run python benchmarks/placements.py

Two suites against themselves through four guests, in flows of three seconds: without IPsec a link
is the limit, with 3DES a processor. Keep the machine otherwise idle; it takes 20 minutes.
"""

import subprocess
import sys
from pathlib import Path

import pandas as pd

from remeasure.analysis.cost import per_megabyte
from remeasure.analysis.summaries import read_tables, trial_summaries
from remeasure.atomic import atomic_write

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "data" / "captured" / "calibration.placements.csv"
TESTBEDS = {"pinned": "lab", "wandering": "lab-wandering"}
"""placement of guests -> testbed"""
ROUNDS = {"pinned": 10, "wandering": 5}
"""placement of guests -> pairs of trials"""
SUITES = ("none", "3des-sha1")
GATEWAYS = ["gw1", "gw2"]


def measure(testbed: str, suite: str, rounds: int) -> Path:
    """Measure a suite against itself. Returns the folder of its tables. Raises SystemExit if that
    failed."""
    command = ["remeasure", "aa", "algorithm-sweep", "--cell", f"suite={suite}"]
    command += ["--rounds", str(rounds), "--profile", "quick", "--testbed", testbed]
    command += ["--probes", "flow", "--only", "load=saturation", "--only", "payload=64,1344"]
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE)
    print(done.stdout, flush=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed")
    return Path(done.stdout.rsplit("Blocks and tables: ", 1)[1].strip())


def summaries(folder: Path) -> pd.DataFrame:
    """Goodput and processor time of each trial that counts."""
    tables = read_tables(folder)
    flows, factors = tables["observations"], tables.factors
    rates = trial_summaries(flows[flows["metric"] == "goodput"], factors)
    costs = per_megabyte(tables["counters"], flows, factors, "cpu_per_megabyte", GATEWAYS)
    found = pd.concat([rates, costs])
    return found.assign(value=found["value"].map("{:.6g}".format))


def main() -> None:
    found = [
        summaries(measure(testbed, suite, ROUNDS[placement])).assign(placement=placement)
        for placement, testbed in TESTBEDS.items()
        for suite in SUITES
    ]
    atomic_write(OUTPUT, pd.concat(found).to_csv(index=False))


if __name__ == "__main__":
    main()

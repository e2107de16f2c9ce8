"""Measure what difference the bench can see with guests on cores of their own and with guests that
wander; add it to data/captured/calibration.placements.csv, which notebook `calibration` shows.

    env/run python benchmarks/placements.py MACHINE             # its name in that file; 2 hours
    env/run python benchmarks/placements.py MACHINE --pinned    # 80 minutes
    ... --variants nodelay,gigabit                              # only these of VARIANTS; 35 minutes

Two suites against themselves through four guests: without IPsec a link is the limit for packets of
1344 bytes, else a processor (with 3DES a fast processor only where links are faster). A trial has
several flows of three seconds of each kind, and its value is their median: now and then TCP joins
small writes into packets in another way for a whole flow, which changes how many packets a megabyte
has. Processor time is given twice: as it was counted, and at the usual pace of the cores (pace.py),
that is, multiplied by the median pace of all flows over the pace beside this one. Keep the machine
otherwise idle.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from pace import Pace

from remeasure.analysis.cost import megabytes, run_costs
from remeasure.analysis.coverage.placements import AT_PACE, CAPTURED, CELL
from remeasure.analysis.limits.run_loads import arrived_packets
from remeasure.analysis.summaries import read_tables, trial_summaries
from remeasure.atomic import atomic_write
from remeasure.campaign.archive import BlockArchive
from remeasure.campaign.scenario import Scenario
from remeasure.yaml_files import read_yaml

ROOT = Path(__file__).resolve().parents[1]
TESTBEDS = {"pinned": "lab", "wandering": "lab-wandering"}
"""placement of guests -> testbed"""
ROUNDS = {"pinned": 10, "wandering": 5}
"""placement of guests -> pairs of trials"""
LINKS = ["client1.site1", "gw1.site1", "gw1.wan", "gw2.wan", "gw2.site2", "client2.site2"]
VARIANTS: Mapping[str, Mapping] = {
    "usual": {},
    "nodelay": {"probes": {"flow": {"nodelay": True}}},
    "gigabit": {"shaping": {link: {"rate": "1gbit"} for link in LINKS}},
}
"""variant -> settings laid over those of the scenario: links of 100 Mbit/s, Nagle's algorithm on"""


class Measured(NamedTuple):
    """One call of `remeasure aa`."""

    suite: str
    payloads: str
    """payloads of packets [byte], with commas"""
    flows: int
    """flows of each kind in a trial: most in the cells that stand for ciphers as the limit, since
    the pace of a processor changes from flow to flow"""
    transports: str = "tcp,udp"
    variant: str = "usual"


MEASURED = [
    Measured("none", "64,1344", 3),
    Measured("3des-sha1", "1344", 7),
    Measured("3des-sha1", "64", 3),
    Measured("none", "64", 5, "tcp", "nodelay"),
    Measured("3des-sha1", "64", 5, "tcp", "nodelay"),
    Measured("3des-sha1", "1344", 7, variant="gigabit"),
]
GATEWAYS = ["gw1", "gw2"]
PROFILE = "quick"


def measure(placement: str, what: Measured, pace: Pace) -> pd.DataFrame:
    """Measure a suite against itself. Returns goodput and costs of each flow that counts, and the
    pace beside it [us]. Raises SystemExit if that failed."""
    command = ["remeasure", "aa", "algorithm-sweep", "--cell", f"suite={what.suite}"]
    command += ["--rounds", str(ROUNDS[placement]), "--repeats", str(what.flows)]
    command += ["--profile", PROFILE, "--testbed", TESTBEDS[placement], "--probes", "flow"]
    command += ["--only", "load=saturation", "--only", f"payload={what.payloads}"]
    command += ["--only", f"transport={what.transports}"]
    command += ["--settings", json.dumps(VARIANTS[what.variant])]
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE)
    print(done.stdout, flush=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed")
    folder = Path(done.stdout.rsplit("Blocks and tables: ", 1)[1].strip())
    return flows_of(folder).merge(paces(folder, pace)).assign(variant=what.variant)


def flows_of(folder: Path) -> pd.DataFrame:
    """Goodput and costs of each flow."""
    tables = read_tables(folder)
    source = folder / "scenario.yaml"
    scenario = Scenario("algorithm-sweep", read_yaml(source), PROFILE, str(source))
    flows, counters, factors = tables["observations"], tables["counters"], tables.factors
    found = [
        flows[flows["metric"] == "goodput"],
        run_costs(counters, megabytes(flows), factors, "cpu_per_megabyte", GATEWAYS),
        run_costs(counters, arrived_packets(tables, scenario), factors, "cpu_per_packet", GATEWAYS),
    ]
    keys = ["block", "trial", *factors, "probe", "repeat", "metric", "unit", "value"]
    return pd.concat([table[keys] for table in found])


def paces(folder: Path, pace: Pace) -> pd.DataFrame:
    """The pace of the cores beside each flow: block, trial, its levels, repeat, pace [us]."""
    rows = [
        {"block": archive.block["block"], "trial": trial.record["order"], "repeat": run["repeat"]}
        | run["levels"]
        | {"pace": pace.between(run["start_ns"], run["end_ns"])}
        for path in sorted(folder.glob("block-*.zip"))
        for archive in [BlockArchive(path)]
        for trial in archive.trials
        for run in trial.record["runs"]
    ]
    return pd.DataFrame(rows)


def summaries(flows: pd.DataFrame, usual: float) -> pd.DataFrame:
    """One value for each trial, metric and kind of flow; costs at the pace `usual` [us], too."""
    costs = flows[flows["metric"].str.startswith("cpu_")]
    at_pace = costs.assign(
        metric=costs["metric"] + AT_PACE, value=costs["value"] * usual / costs["pace"]
    )
    factors = ["placement", "twin", "load", *CELL]
    found = trial_summaries(pd.concat([flows, at_pace]), factors, "median")
    return found.assign(value=found["value"].map("{:.6g}".format))


def main(machine: str, placements: Iterable[str], variants: list[str]) -> None:
    before = pd.read_csv(CAPTURED, dtype=str)
    there = set(before.loc[before["machine"] == machine, "variant"])
    if both := ", ".join(there.intersection(variants)):
        sys.exit(f"{CAPTURED}: has {both} of machine {machine} already; give another name")
    with Pace() as pace:
        flows = pd.concat(
            measure(placement, what, pace).assign(placement=placement)
            for placement in placements
            for what in MEASURED
            if what.variant in variants
        )
    found = summaries(flows, flows["pace"].median()).assign(machine=machine)
    both = pd.concat([before, found.astype(str)])[list(before)]
    atomic_write(CAPTURED, both.to_csv(index=False))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description="See the head of this file.")
    arguments.add_argument("machine")
    arguments.add_argument("--pinned", action="store_true", help="no guests that wander")
    arguments.add_argument("--variants", default=",".join(VARIANTS), help="names of VARIANTS")
    asked = arguments.parse_args()
    wanted = asked.variants.split(",")
    if unknown := ", ".join(set(wanted) - set(VARIANTS)):
        sys.exit(f"--variants: found {unknown}, expected names of {', '.join(VARIANTS)}")
    main(asked.machine, ["pinned"] if asked.pinned else ROUNDS, wanted)

"""Measure 20 quiet trials; print the stalls that the heartbeat saw, and its cost.

    env/run python env/benchmarks/stalls.py [TRIALS] [TESTBED]

The scenario is tests/measure/small.yaml. Keep the machine idle: any stall is then a false alarm. It
takes 4 minutes. Exit status: 1 if any was seen.
"""

import sys
import tempfile
import time
from pathlib import Path

from remeasure.bench.base.files import read_yaml
from remeasure.bench.campaign.plan import Task
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.lab.testbeds import LabTestbed, load_testbed
from remeasure.bench.measure.guests import Guests
from remeasure.bench.measure.hosts import needs_of
from remeasure.bench.measure.trial import Trial

SOURCE = Path(__file__).resolve().parents[2] / "tests/measure/small.yaml"


def main(trials: int = 20, name: str = "lab") -> int:
    scenario = Scenario(SOURCE.stem, read_yaml(SOURCE), "smoke", str(SOURCE))
    testbed = load_testbed(name)
    assert isinstance(testbed, LabTestbed), f"{name} is no lab"
    cell = scenario.cells[0]
    cpus = scenario.settings(cell).cpus
    guests = Guests(testbed, scenario.topology, needs_of(scenario))
    guests.require({cpus})
    seen = runs = 0
    with guests, tempfile.TemporaryDirectory() as folder:
        credentials = Credentials(Path(folder) / "keys")
        task = Task(scenario, cell, scenario.settings(cell).probes, 1, credentials)
        remotes = guests.session(cpus).remotes
        start = time.monotonic()
        for number in range(1, trials + 1):
            logs = Path(folder) / str(number)
            logs.mkdir()
            trial = Trial(task, logs, guests.driver(task, remotes), guests.meter)
            done = trial.run(lambda *_: None)
            runs += len(done["runs"])
            for run in done["runs"]:
                for stall in run.get("stalls", []):
                    seen += 1
                    print(
                        f"trial {number}, {run['name']}: {stall['host']} {stall['ns'] / 1e6:.0f} ms"
                    )
            print(f"trial {number}: {done['verdict']} {'; '.join(done['reasons'])}", flush=True)
        cost = guests.heartbeat.cost_s / (time.monotonic() - start)
    print(f"{seen} stalls in {runs} runs of {trials} trials")
    print(f"the heartbeat costs {1000 * cost:.2f} ms of processor time a second")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:3]))

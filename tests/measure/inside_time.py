"""Run inside a lab's namespaces: processor time of work that a guest itself timed, and a trial that
is disturbed during its third run. Prints both as JSON.

Arguments: folder for logs; file whose existence makes a process outside the namespaces work."""

import json
import sys
from pathlib import Path

from remeasure.bench.base.documents import read_yaml
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.campaign.task import Task
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.lab import namespace
from remeasure.bench.lab.backends import make_backend
from remeasure.bench.lab.lab import Lab
from remeasure.bench.measure.linux import LinuxDriver
from remeasure.bench.measure.trial import Trial
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.watching.load import LocalMeter
from remeasure.bench.testbed.watching.processor_time import program_costs
from remeasure.bench.testbed.watching.unchanged import remember

# The loop ends by its own count, so it is the same work wherever it runs.
LOOP = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times'"
MANY = "sh -c 'for i in $(seq 200); do /bin/true; done; times'"
FLOW = "iperf3 -c {} -t 1 -J >/dev/null"
DISTURBED_RUN = 3

namespace.enter()
folder, disturb = Path(sys.argv[1]), Path(sys.argv[2])
source = Path(__file__).with_name("time.yaml")
scenario = Scenario(source.stem, read_yaml(source), "smoke", str(source))
found: dict = {}
with Lab(scenario.topology, make_backend("uml", 256)) as inventory:
    remotes = {role: Remote(inventory.host(role)) for role in scenario.topology.hosts}
    remember(remotes.values())
    guests = {role: remote.host.process for role, remote in remotes.items()}
    left, right = remotes["left"], remotes["right"]

    def timed(command: str) -> dict:
        """The machine's account of a command on left, and what the command printed."""
        meter = LocalMeter(guests).of_run()
        said = left.run(command)
        return {"said": said, **meter.use().hosts}

    left.run("true")
    costs = program_costs(remotes, guests)
    found["costs"] = {role: cost._asdict() for role, cost in costs.items()}
    found["ping"] = timed("ping -n -D -O -c 30 -i 0.01 127.0.0.1")
    found["loop"] = timed(LOOP)
    found["many"] = timed(MANY)
    found["idle"] = timed("sleep 0.5")
    right.start(["iperf3", "-s"], "/run/iperf3.out")
    left.run(f"until {FLOW.format(scenario.topology.address('right'))}; do :; done")
    found["flow"] = timed(FLOW.format(scenario.topology.address("right")))

    runs = 0

    def on_probe(*_: object) -> None:
        global runs
        runs += 1
        if runs == DISTURBED_RUN:
            disturb.touch()
        else:
            disturb.unlink(missing_ok=True)

    logs = folder / "logs"
    logs.mkdir(parents=True)
    cell = scenario.cells[0]
    task = Task.of(scenario, cell, scenario.settings(cell).probes, 1, Credentials(folder / "keys"))
    trial = Trial(
        task, logs, LinuxDriver(task, remotes), lambda: LocalMeter(guests, programs=costs)
    )
    found["trial"] = trial.run(on_probe)
print(json.dumps(found))

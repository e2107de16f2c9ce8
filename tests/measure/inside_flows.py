"""Run inside a lab's namespaces: trials of flows.yaml, one of whose senders is stopped. Prints
their records as JSON; their logs are in the folder given."""

import json
import sys
from pathlib import Path

from remeasure.bench.base.yaml_files import read_yaml
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
from remeasure.bench.testbed.watching.unchanged import remember

STOP = "setsid sh -c 'sleep 0.3; pkill -9 -x ITGSend' >/dev/null 2>&1 &"

namespace.enter()
folder = Path(sys.argv[1])
source = Path(__file__).with_name("flows.yaml")
scenario = Scenario(source.stem, read_yaml(source), "smoke", str(source))
credentials = Credentials(folder / "secrets")
records = {}
with Lab(scenario.topology, make_backend("uml", 256)) as inventory:
    remotes = {role: Remote(inventory.host(role)) for role in scenario.topology.hosts}
    remember(remotes.values())

    def trial(name: str, suite: str, on_probe=lambda: None) -> None:
        logs = folder / name
        logs.mkdir(parents=True)
        cell = {"suite": suite}
        task = Task.of(scenario, cell, scenario.settings(cell).probes, 1, credentials)
        run = Trial(task, logs, LinuxDriver(task, remotes), LocalMeter)
        records[name] = run.run(lambda *_: on_probe())

    trial("stopped", "none", lambda: remotes["left"].run(STOP))
    trial("modern", "modern")
    sending = {
        role: remote.run("pgrep -x ITGSend", check=False) for role, remote in remotes.items()
    }
    records["modern"]["sending"] = sending
print(json.dumps(records))

"""Run inside a lab's namespaces: trials of ftp.yaml, some of which something is done to. Prints
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

CUT_SHORT = "setsid sh -c 'sleep 1.5; pkill -x vsftpd' >/dev/null 2>&1 &"
BAR = "echo 'install des_generic /bin/false' >/etc/modprobe.d/bar.conf; modprobe -r des_generic"

namespace.enter()
folder = Path(sys.argv[1])
source = Path(__file__).with_name("ftp.yaml")
scenario = Scenario(source.stem, read_yaml(source), "smoke", str(source))
credentials = Credentials(folder / "secrets")
records = {}
with Lab(scenario.topology, make_backend("uml", 256)) as inventory:
    remotes = {role: Remote(inventory.host(role)) for role in scenario.topology.hosts}
    remember(remotes.values())
    right = remotes["right"]

    def trial(name: str, suite: str, link: str, on_probe=lambda: None) -> None:
        logs = folder / name
        logs.mkdir(parents=True)
        cell = {"suite": suite, "link": link}
        task = Task.of(scenario, cell, scenario.settings(cell).probes, 1, credentials)
        run = Trial(task, logs, LinuxDriver(task, remotes), LocalMeter)
        records[name] = run.run(lambda *_: on_probe())

    trial("none", "none", "good")
    trial("ah", "ah", "good")
    trial("lossy", "modern", "lossy")
    trial("cut-short", "modern", "slow", lambda: right.run(CUT_SHORT))
    trial(
        "altered",
        "none",
        "good",
        lambda: right.run(
            "printf x | dd of=/run/ftp/served/3-of-1MB/0002.jpg conv=notrunc status=none"
        ),
    )
    right.run(BAR)
    trial("barred", "barred", "good")
print(json.dumps(records))

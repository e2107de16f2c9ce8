"""Run a function of a test module in a process of its own, which may enter the namespaces of a lab,
and print its result as JSON (`real_guests.run_inside`):

    inside.py FILE FUNCTION ARGUMENT...

These functions share the helpers below.
"""

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import read_yaml
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.plan import Task
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.testbeds import LabTestbed
from remeasure.bench.measure.linux import LinuxDriver
from remeasure.bench.measure.trial import Trial
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.instructions import ANY
from remeasure.bench.testbed.watching.load import LocalMeter
from remeasure.bench.testbed.watching.unchanged import remember

SCENARIOS = Path(__file__).parent / "measure"


def said(action: Callable[[], object]) -> str:
    """The message of the error with which an action ends."""
    try:
        return f"no error; returned {action()}"
    except UserError as error:
        return str(error)


def scenario_of(name: str) -> Scenario:
    """A scenario that only tests measure, under profile smoke."""
    source = SCENARIOS / f"{name}.yaml"
    return Scenario(name, read_yaml(source), "smoke", str(source))


@contextmanager
def guests_of(topology: Topology) -> Iterator[dict[str, Remote]]:
    """Guests of this topology, by role, whose state is remembered for the proof of no change."""
    with Lab(topology, LabTestbed(name="lab", backend="uml").backend_for(ANY)) as inventory:
        remotes = {role: Remote(inventory.host(role)) for role in topology.hosts}
        remember(remotes.values())
        yield remotes


def measured(
    scenario: Scenario,
    remotes: dict[str, Remote],
    cell: dict[str, str],
    logs: Path,
    credentials: Credentials,
    probes: tuple[str, ...] = (),
    on_probe: Callable[[], object] = lambda: None,
    meter: Callable[[], LocalMeter] = LocalMeter,
) -> dict:
    """The record of a trial of a cell, with these of its probes; with all, if none is named."""
    logs.mkdir(parents=True)
    asked = scenario.settings(cell).probes
    task = Task(scenario, cell, {name: asked[name] for name in probes or asked}, 1, credentials)
    return Trial(task, logs, LinuxDriver(task, remotes), meter).run(lambda *_: on_probe())


if __name__ == "__main__":
    file, function, *arguments = sys.argv[1:]
    sys.path.insert(0, str(Path(file).parent))
    print(json.dumps(getattr(importlib.import_module(Path(file).stem), function)(*arguments)))

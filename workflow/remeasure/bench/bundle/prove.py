"""Starts the guests of a bundle and asks them for all that a scenario needs. It is run with the
code, the packages and the cache of the bundle:

    python -P -m remeasure.bench.bundle.prove SCENARIO
"""

import sys

from remeasure.bench.base.errors import UserError
from remeasure.bench.bundle.bundle_needs import TESTBED
from remeasure.bench.campaign.kernels import for_scenario
from remeasure.bench.campaign.profiles import profile_names
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.testbeds import LabTestbed, load_testbed
from remeasure.bench.measure.needs import needs_of
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.watching.readiness import require_ready


def prove(name: str) -> None:
    """Raises UserError naming what the guests lack. This process starts anew in the namespaces of a
    lab, and returns only there."""
    scenario = load_scenario(name, profile_names()[0])
    testbed = for_scenario(load_testbed(TESTBED), scenario)
    if not isinstance(testbed, LabTestbed):
        raise TypeError(type(testbed))
    cells = [scenario.settings(cell).wanted for cell in scenario.cells]
    backend = testbed.backend_for(min(cells, key=lambda cell: cell.cpus or 0))
    backend.enter()
    with Lab(scenario.topology, backend, testbed.name) as inventory:
        remotes = {host.name: Remote(host) for host in inventory.hosts}
        require_ready(remotes, needs_of(scenario))
        for remote in remotes.values():
            remote.close()


if __name__ == "__main__":
    try:
        prove(sys.argv[1])
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(1)

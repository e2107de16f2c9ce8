"""The hosts of a scenario: requirements of its probes and tunnels, and their kind."""

from collections.abc import Iterable

from remeasure.bench.campaign.kernels import for_scenario
from remeasure.bench.campaign.scenario import Scenario
from remeasure.bench.ipsec.algorithms import MODULES as IPSEC_MODULES
from remeasure.bench.ipsec.clear_text import MODULES as CLEAR_TEXT_MODULES
from remeasure.bench.ipsec.control import TOOLS as IPSEC_TOOLS
from remeasure.bench.ipsec.kinds import KINDS
from remeasure.bench.ipsec.radius import TOOLS as RADIUS_TOOLS
from remeasure.bench.lab.testbeds import LabTestbed, Testbed, VirtualTestbed
from remeasure.bench.measure.block_hosts import BlockHosts
from remeasure.bench.measure.guests import Guests
from remeasure.bench.measure.linux import BorrowedMachines
from remeasure.bench.measure.virtual_hosts import VirtualHosts
from remeasure.bench.probes import PROBES
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.treatments.disciplines import MODULES as SHAPING_MODULES
from remeasure.bench.testbed.treatments.disciplines import PRIORITY_MODULES
from remeasure.bench.testbed.treatments.disciplines import TOOLS as SHAPING_TOOLS
from remeasure.bench.testbed.treatments.receiving import TOOLS as OFFLOAD_TOOLS
from remeasure.bench.testbed.watching.readiness import Needs


def make_hosts(testbed: Testbed, scenario: Scenario) -> BlockHosts:
    """The hosts of a testbed that play the roles of a scenario's topology. Raises UserError if a
    role or an interface is missing."""
    testbed, topology = for_scenario(testbed, scenario), scenario.topology
    needs = needs_of(scenario)
    if isinstance(testbed, LabTestbed):
        return Guests(testbed, topology, needs, scenario.networks)
    if isinstance(testbed, VirtualTestbed):
        return VirtualHosts(testbed, topology, needs)
    return BorrowedMachines(testbed, topology, needs)


def needs_of(scenario: Scenario) -> Needs:
    """The needs of all cells of one scenario."""
    settings = [scenario.settings(cell) for cell in scenario.cells]
    needs = _needs_of_probes(probe for cell in settings for probe in cell.probes.values())
    if any(cell.gro is not None for cell in settings):
        needs |= Needs(OFFLOAD_TOOLS)
    needs |= Needs(SHAPING_TOOLS, SHAPING_MODULES)
    if any(link.priority for cell in settings for link in cell.shaping.values()):
        needs |= Needs(modules=PRIORITY_MODULES)
    for cell in settings:
        if cell.tunnel:
            needs |= KINDS[cell.tunnel.kind].needs(cell.tunnel, scenario.network(cell))
            needs |= Needs(modules=CLEAR_TEXT_MODULES)
    return needs


def needs_of_all() -> Needs:
    """The needs of all scenarios together."""
    tools = OFFLOAD_TOOLS | SHAPING_TOOLS | IPSEC_TOOLS | RADIUS_TOOLS
    modules = SHAPING_MODULES | IPSEC_MODULES | CLEAR_TEXT_MODULES
    return _needs_of_probes(PROBES.values()) | Needs(tools, modules)


def _needs_of_probes(probes: Iterable[Probe | type[Probe]]) -> Needs:
    return Needs({name: tool for probe in probes for name, tool in probe.tools.items()})

"""The hosts of a block, whichever kind they are."""

from remeasure.bench.base.topology import Topology
from remeasure.bench.lab.testbeds import LabTestbed, Testbed, VirtualTestbed
from remeasure.bench.measure.block_hosts import BlockHosts
from remeasure.bench.measure.guests import Guests
from remeasure.bench.measure.machines import Machines
from remeasure.bench.measure.other_systems import system_of
from remeasure.bench.measure.virtual_hosts import VirtualHosts
from remeasure.bench.testbed.watching.readiness import Needs


def make_hosts(testbed: Testbed, topology: Topology, needs: Needs) -> BlockHosts:
    """The hosts of a testbed that play the roles of a topology. Raises UserError if a role or an
    interface is missing."""
    if isinstance(testbed, LabTestbed):
        return Guests(testbed, topology, needs)
    if isinstance(testbed, VirtualTestbed):
        return VirtualHosts(testbed, topology, needs)
    if system := system_of(testbed):
        return system.make_hosts(testbed, topology)
    return Machines(testbed, topology, needs)

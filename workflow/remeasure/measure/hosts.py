"""The hosts of a block, whichever kind they are."""

from remeasure.lab.testbeds import LabTestbed, Testbed
from remeasure.lab.virtual.testbed import VirtualTestbed
from remeasure.measure.block_hosts import BlockHosts
from remeasure.measure.guests import Guests
from remeasure.measure.machines import Machines
from remeasure.measure.other_systems import system_of
from remeasure.measure.virtual_hosts import VirtualHosts
from remeasure.testbed.watching.readiness import Needs
from remeasure.topology import Topology


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

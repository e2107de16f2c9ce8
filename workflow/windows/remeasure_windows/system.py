"""Windows, as remeasure.bench.measure.other_systems finds it (an OtherSystem)."""

from collections.abc import Mapping

from remeasure.bench.base.family import Interface
from remeasure.bench.base.topology import Topology
from remeasure.bench.testbed.inventory import Host, Inventory
from remeasure.bench.testbed.watching.readiness import Finding
from remeasure_windows import readiness
from remeasure_windows.hosts import WindowsMachines
from remeasure_windows.remote import WindowsRemote

__all__ = ["check_host", "make_hosts"]


def make_hosts(testbed: Inventory, topology: Topology) -> WindowsMachines:
    """The machines that play the roles of a topology. Raises UserError."""
    return WindowsMachines(testbed, topology)


def check_host(host: Host, links: Mapping[str, Interface]) -> list[Finding]:
    """What is present, missing or wrong on a host."""
    return readiness.check_host(WindowsRemote(host), links)

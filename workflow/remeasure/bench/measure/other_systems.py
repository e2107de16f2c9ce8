"""Machines of other systems than Linux: each system is a package of its own, with one entry in
SYSTEMS. It is imported when an inventory names the system; env/run lets Python find it."""

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast

from remeasure.bench.base.family import Interface
from remeasure.bench.base.topology import Topology
from remeasure.bench.measure.block_hosts import BlockHosts
from remeasure.bench.testbed.inventory import Host, Inventory
from remeasure.bench.testbed.watching.readiness import Finding

SYSTEMS = {"windows": "remeasure_windows.system"}
"""`os` of an inventory -> a module that is an OtherSystem"""


class OtherSystem(Protocol):
    """What measures on machines of a system."""

    def make_hosts(self, testbed: Inventory, topology: Topology) -> BlockHosts:
        """The hosts of an inventory that play the roles of a topology. Raises UserError if a role
        or an interface is missing."""

    def check_host(self, host: Host, links: Mapping[str, Interface]) -> list[Finding]:
        """What is present, missing or wrong on a host. `links`: link -> address that the topology
        gives the host on it."""


def system_of(of: Inventory | Host) -> OtherSystem | None:
    """The system of an inventory or a host; None for Linux."""
    return cast(OtherSystem, import_module(SYSTEMS[of.os])) if of.os in SYSTEMS else None

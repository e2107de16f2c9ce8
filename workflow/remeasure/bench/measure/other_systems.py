"""Machines of other systems than Linux: each system is a package of its own, with one entry in
SYSTEMS. It is imported when an inventory names the system."""

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Protocol, cast

from remeasure.bench.base.family import Interface
from remeasure.bench.base.paths import ROOT
from remeasure.bench.base.topology import Topology
from remeasure.bench.measure.block_hosts import BlockHosts
from remeasure.bench.probes.base import Probe
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

    def run_by(
        self, hosts: Iterable[Mapping[str, Any]], probes: Mapping[str, Probe]
    ) -> dict[str, Probe]:
        """The probes of a cell as these hosts of the system ran them, in their order. `hosts`: as
        the record of a session has them (session.testbed.hosts). Raises UserError naming a probe
        that the system cannot run."""


def system_of(of: Inventory | Host) -> OtherSystem | None:
    """The system of an inventory or a host; None for Linux."""
    return _system(of.os) if of.os in SYSTEMS else None


def run_by(hosts: Iterable[Mapping[str, Any]], probes: Mapping[str, Probe]) -> dict[str, Probe]:
    """The probes of a cell as these hosts ran them, in their order. `hosts`: as the record of a
    session has an inventory's (session.testbed.hosts); Linux hosts run probes as they are planned.

    Raises UserError naming a probe that the system of the hosts cannot run.
    """
    found, hosts = dict(probes), list(hosts)
    for os in SYSTEMS:
        if own := [host for host in hosts if host.get("os") == os]:
            found = _system(os).run_by(own, found)
    return found


def _system(os: str) -> OtherSystem:
    """A package that is not installed lies in workflow/<system> of this repository."""
    if (folder := str(ROOT / "workflow" / os)) not in sys.path:
        sys.path.append(folder)
    return cast(OtherSystem, import_module(SYSTEMS[os]))

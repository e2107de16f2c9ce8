"""Windows as remeasure.bench.measure.other_systems finds it."""

from collections.abc import Iterable, Mapping
from typing import Any

from remeasure.bench.base.family import Interface
from remeasure.bench.base.topology import Topology
from remeasure.bench.measure.other_systems import OtherSystem
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.inventory import Host, Inventory
from remeasure.bench.testbed.watching.readiness import Finding
from remeasure_windows.flows import run_by
from remeasure_windows.hosts import WindowsMachines
from remeasure_windows.readiness import check_host
from remeasure_windows.remote import WindowsRemote


class Windows:
    """An OtherSystem."""

    def make_hosts(self, testbed: Inventory, topology: Topology) -> WindowsMachines:
        return WindowsMachines(testbed, topology)

    def check_host(self, host: Host, links: Mapping[str, Interface]) -> list[Finding]:
        return check_host(WindowsRemote(host), links)

    def run_by(
        self, hosts: Iterable[Mapping[str, Any]], probes: Mapping[str, Probe]
    ) -> dict[str, Probe]:
        return run_by(hosts, probes)


SYSTEM: OtherSystem = Windows()

"""Windows as remeasure.bench.measure.other_systems finds it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from remeasure.bench.base.family import Interface
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.settings import Settings
from remeasure.bench.measure.other_systems import OtherSystem, Script
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.inventory import Host, Inventory
from remeasure.bench.testbed.watching.readiness import Finding
from remeasure.bench.windows.facts import script_of
from remeasure.bench.windows.flows import on_windows, run_by
from remeasure.bench.windows.hosts import WindowsMachines
from remeasure.bench.windows.plan import Plan, Step
from remeasure.bench.windows.powershell import step_of
from remeasure.bench.windows.readiness import check_host, look
from remeasure.bench.windows.remote import WindowsRemote


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

    def scripts(
        self,
        settings: Settings,
        probes: Mapping[str, Probe],
        topology: Topology,
        hosts: Mapping[str, Host],
    ) -> Iterator[Script]:
        plan, own = Plan(settings, topology, hosts), on_windows(probes, hosts)
        looks = [
            ("before the block", Step(role, text))
            for role, host in hosts.items()
            for text in (
                look(host.windows_settings),
                script_of(host.windows_settings, list(host.interfaces.values())),
            )
        ]
        for title, step in [*looks, *plan.all_steps(own)]:
            yield Script(step.role, title, step.text, step_of(step.text))


SYSTEM: OtherSystem = Windows()

"""Windows as an OtherSystem of remeasure.bench.measure.hosts: the machines of an inventory, and the
missing parts of one of them. Addresses, routes and speeds are set by the owner (docs/windows.md)
and are not changed. A trial makes rules and sets whose names begin with `remeasure-`, one folder,
and processes started from it."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from remeasure.bench.base.family import Interface
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.measure.block_hosts import Session
from remeasure.bench.testbed.host_kind import NATURES
from remeasure.bench.testbed.inventory import Host, Inventory, machine_of
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.treatments.instructions import Wanted
from remeasure.bench.testbed.watching.load import RemoteMeter
from remeasure.bench.testbed.watching.processor_time import Processors, read_processors
from remeasure.bench.testbed.watching.readiness import Finding
from remeasure_windows import interfaces, readiness
from remeasure_windows.driver import WindowsDriver
from remeasure_windows.ends import require_ipv4
from remeasure_windows.powershell import WindowsRemote
from remeasure_windows.readiness import host_facts


class WindowsMachines:
    """The BlockHosts (measure/block_hosts.py) of Windows machines."""

    repeats = False

    def __init__(self, testbed: Inventory, topology: Topology):
        """Choose the machine for each role. Raises UserError if a role or an interface is
        missing."""
        require_ipv4(topology)
        self._topology = topology
        self._remotes = {
            role: WindowsRemote(machine_of(testbed, topology, role)) for role in topology.hosts
        }

    def require(self, wanted: set[Wanted]) -> None:
        try:
            readiness.require_ready(self._remotes, self._topology)
        except BaseException:
            self.__exit__()
            raise

    def why_not(self, wanted: Wanted) -> str | None:
        if wanted.cpus is not None:
            return (
                f"the scenario asks for {wanted.cpus} processors per host; the number of a Windows "
                "machine cannot be changed"
            )
        if wanted.instructions is not None:
            return "which instructions Windows uses for ciphers cannot be chosen"
        return None

    def after_panic(self, folder: Path) -> None:
        """Nobody but its owner may start a machine again."""

    def credentials(self, folder: Path, seed: int) -> Credentials:
        return Credentials(folder)

    def meter(self) -> RemoteMeter:
        return RemoteMeter(lambda: at_once(_processors, self._remotes.values()))

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> WindowsDriver:
        return WindowsDriver(task, {role: self._remotes[role] for role in remotes})

    def __enter__(self) -> "WindowsMachines":
        try:
            at_once(WindowsRemote.connect, self._remotes.values())
        except BaseException:
            self.__exit__()
            raise
        return self

    def session(self, wanted: Wanted) -> Session:
        return self._session

    @cached_property
    def _session(self) -> Session:
        hosts = {role: host_facts(remote) for role, remote in self._remotes.items()}
        guests = {"backend": "ssh", "accelerator": "none", **NATURES["machines"]}
        return Session(self._remotes, {"guests": guests, "hosts": hosts})

    def __exit__(self, *_: object) -> None:
        for remote in self._remotes.values():
            remote.close()


make_hosts = WindowsMachines


def check_host(host: Host, links: Mapping[str, Interface]) -> list[Finding]:
    """Present, missing and wrong things on a host."""
    return readiness.check_host(WindowsRemote(host), links)


def _processors(remote: WindowsRemote) -> Processors:
    return read_processors(remote.run(interfaces.processors()))

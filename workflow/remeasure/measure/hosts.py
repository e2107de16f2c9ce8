"""The hosts of a block: a lab that is booted anew where the next cell's guests are others, or
machines of an inventory."""

import os
from collections.abc import Callable

from remeasure.errors import UserError
from remeasure.lab.image import get_image
from remeasure.lab.lab import Lab
from remeasure.lab.machine import findings_here
from remeasure.lab.testbeds import LabTestbed
from remeasure.measure.health import HostsMeter, LoadMeter
from remeasure.measure.trial import TrialRun
from remeasure.testbed.borrowed import Borrowed
from remeasure.testbed.facts import host_facts
from remeasure.testbed.inventory import Inventory
from remeasure.testbed.readiness import require, require_ready
from remeasure.testbed.remote import HostUnreachable, Remote
from remeasure.testbed.tools import Tool
from remeasure.topology import Topology
from remeasure.windows.hosts import WindowsMachines

OnBoot = Callable[[dict, dict[str, Remote]], None]
"""called when hosts answer, with what they are (for block.json) and connections by role"""


def make_hosts(
    testbed: LabTestbed | Inventory,
    topology: Topology,
    tools: dict[str, Tool],
    on_boot: OnBoot,
    on_end: Callable[[], None],
) -> "LabHosts | Machines | WindowsMachines":
    """A context manager with `require`, `why_not`, `with_cpus` and `meter`, and with `trial` and
    `facts` of its hosts. `on_end` is called when the last trial on hosts is done. `tools` is what
    a scenario runs there."""
    if isinstance(testbed, LabTestbed):
        kind = LabHosts
    else:
        kind = WindowsMachines if testbed.os == "windows" else Machines
    return kind(testbed, topology, tools, on_boot, on_end)


class LabHosts:
    """Guests of a lab."""

    trial, facts = TrialRun, staticmethod(host_facts)

    def __init__(
        self,
        testbed: LabTestbed,
        topology: Topology,
        tools: dict[str, Tool],
        on_boot: OnBoot,
        on_end: Callable[[], None],
    ):
        self._testbed, self._topology, self._tools = testbed, topology, tools
        self._on_boot, self._on_end = on_boot, on_end
        self._lab: Lab | None = None
        self._cpus: int | None = None
        self._remotes: dict[str, Remote] = {}

    def require(self, wanted: set[int | None]) -> None:
        """Build what guests of so many processors are made of, where there is a way to a mirror;
        then go where nothing else is. Raises UserError if none of them can be."""
        possible = {cpus for cpus in wanted if not self.why_not(cpus)}
        if not possible:
            raise UserError(f"{self.why_not(min(wanted))}: no cell can be measured here")
        require(findings_here(self._testbed.backend_kind, self._tools))
        *_, backend = [self._testbed.backend_for(cpus) for cpus in possible]
        backend.enter()

    def why_not(self, cpus: int | None) -> str | None:
        """Why no guest of so many processors (None: by default) is started here."""
        if cpus is not None and cpus > len(os.sched_getaffinity(0)):
            return f"{cpus} processors a guest, and the machine has {len(os.sched_getaffinity(0))}"
        return None

    def meter(self) -> LoadMeter:
        return LoadMeter(of_this_kernel=not self._testbed.backend_kind.own_kernel)

    def __enter__(self) -> "LabHosts":
        return self

    def with_cpus(self, cpus: int | None) -> dict[str, Remote]:
        """role -> connection to a host with so many processors. Raises UserError."""
        if self._lab is None or cpus != self._cpus:
            self._stop()
            backend = self._testbed.backend_for(cpus)
            lab = Lab(self._topology, backend, self._testbed.name)
            inventory = lab.__enter__()
            self._lab, self._cpus = lab, cpus
            self._remotes = {role: Remote(inventory.host(role)) for role in self._topology.hosts}
            for remote in self._remotes.values():
                remote.connect()
            require_ready(self._remotes, self._tools)
            what = {
                "guests": {
                    "backend": backend.kind.name,
                    "accelerator": backend.accelerator,
                    "cpus": backend.cpus,
                }
            }
            if backend.kind.has_image:
                image = get_image()
                what["image"] = {**image.facts, "packages": image.packages}
            self._on_boot(what, self._remotes)
        return self._remotes

    def __exit__(self, error_type, *_) -> None:
        try:
            # A guest that died is why it does not answer, and its console says why it died.
            if error_type is not None and issubclass(error_type, HostUnreachable):
                for guest in self._lab.guests if self._lab else []:
                    guest.check_alive()
        finally:
            self._stop(done=error_type is None)

    def _stop(self, done: bool = True) -> None:
        if self._lab is None:
            return
        if done:
            self._on_end()
        for remote in self._remotes.values():
            remote.close()
        self._lab.__exit__()
        self._lab = None


class Machines:
    """Machines of an inventory, as they are."""

    trial, facts = TrialRun, staticmethod(host_facts)

    def __init__(
        self,
        testbed: Inventory,
        topology: Topology,
        tools: dict[str, Tool],
        on_boot: OnBoot,
        on_end: Callable[[], None],
    ):
        self._borrowed, self._tools = Borrowed(testbed, topology), tools
        self._on_boot, self._on_end = on_boot, on_end
        self._remotes: dict[str, Remote] = {}
        self._cpus: dict[str, int] = {}

    def require(self, wanted: set[int | None]) -> None:
        """Raises UserError if something is missing on a machine, or no cell is of machines like
        these; none was changed then."""
        remotes = self._borrowed.look()
        require_ready(remotes, self._tools)
        self._cpus = {remote.name: int(remote.run("nproc")) for remote in remotes.values()}
        if all(map(self.why_not, wanted)):
            raise UserError(f"{self.why_not(min(wanted))}: no cell can be measured here")

    def why_not(self, cpus: int | None) -> str | None:
        """Why a cell with so many processors a host is not measured: machines are as they are."""
        other = {name: has for name, has in self._cpus.items() if cpus not in (None, has)}
        return (
            f"{cpus} processors a host, and "
            + ", ".join(f"{name} has {has}" for name, has in other.items())
            if other
            else None
        )

    def meter(self) -> HostsMeter:
        return HostsMeter(self._remotes)

    def __enter__(self) -> "Machines":
        self._remotes = self._borrowed.__enter__()
        try:
            self._on_boot({"guests": {"backend": "ssh", "accelerator": "none"}}, self._remotes)
        except BaseException as error:
            self._give_back(error)
            raise
        return self

    def with_cpus(self, cpus: int | None) -> dict[str, Remote]:
        """role -> connection"""
        return self._remotes

    def __exit__(self, error_type, error, _) -> None:
        try:
            if error_type is None:
                self._on_end()
        finally:
            self._give_back(error)

    def _give_back(self, error: BaseException | None) -> None:
        """Raises UserError naming machines that are not as they were, and `error` with them."""
        try:
            self._borrowed.__exit__()
        except UserError as lost:
            raise lost if error is None else UserError(f"{error}; {lost}") from error

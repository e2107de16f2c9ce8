"""The Windows machines of an inventory, as remeasure.measure.hosts has others.

Addresses, routes and speeds are the owner's (docs/windows.md): nothing of them is changed. What is
made are rules and sets whose names begin with `remeasure-`, one folder, and processes started from
it.
"""

from collections.abc import Callable, Mapping

from remeasure.measure.health import HostsMeter, read_processors
from remeasure.testbed.borrowed import machine_of
from remeasure.testbed.inventory import Inventory
from remeasure.testbed.remote import at_once
from remeasure.testbed.tools import Tool
from remeasure.topology import Topology
from remeasure.windows import interfaces
from remeasure.windows.facts import host_facts
from remeasure.windows.readiness import require_ready
from remeasure.windows.remote import WindowsRemote
from remeasure.windows.trial import WindowsTrial


class WindowsMachines:
    """A context manager with what `remeasure.measure.hosts.make_hosts` promises."""

    trial = WindowsTrial

    def __init__(
        self,
        testbed: Inventory,
        topology: Topology,
        tools: dict[str, Tool],
        on_boot: Callable,
        on_end: Callable[[], None],
    ):
        """`tools` are those of Linux, by their commands; what Windows hosts need is known from the
        inventory. Raises UserError if a role or an interface is missing."""
        self._topology = topology
        self._on_boot, self._on_end = on_boot, on_end
        self._remotes = {
            role: WindowsRemote(machine_of(testbed, topology, role)) for role in topology.hosts
        }

    def require(self, wanted: set[int | None]) -> None:
        """Raises UserError if something is missing or wrong on a machine; nothing was changed."""
        try:
            require_ready(self._remotes, self._topology)
        except BaseException:
            self._close()
            raise

    def why_not(self, cpus: int | None) -> str | None:
        """Why a cell with so many processors a host is not measured."""
        return cpus and f"{cpus} processors a host: machines have those that they have"

    def meter(self) -> "WindowsMeter":
        return WindowsMeter(self._remotes)

    @staticmethod
    def facts(remote: WindowsRemote, tools: dict[str, Tool]) -> dict:
        return host_facts(remote)

    def __enter__(self) -> "WindowsMachines":
        try:
            at_once(WindowsRemote.connect, self._remotes.values())
            self._on_boot({"guests": {"backend": "ssh", "accelerator": "none"}}, self._remotes)
        except BaseException:
            self._close()
            raise
        return self

    def with_cpus(self, cpus: int | None) -> Mapping[str, WindowsRemote]:
        """role -> connection"""
        return self._remotes

    def __exit__(self, error_type, *_) -> None:
        try:
            if error_type is None:
                self._on_end()
        finally:
            self._close()

    def _close(self) -> None:
        for remote in self._remotes.values():
            remote.close()


class WindowsMeter(HostsMeter):
    """Processor time of the machines, each by its own account."""

    def _now(self) -> list[tuple[int, int, int, int]]:
        texts = at_once(lambda remote: remote.run(interfaces.processors()), self._remotes)
        return [read_processors(text) for text in texts]

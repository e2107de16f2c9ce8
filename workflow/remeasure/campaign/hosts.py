"""The hosts of a block: a lab that is booted anew where the next cell's guests are others."""

import os
from collections.abc import Callable

from remeasure.lab.backends import Backend, choose_backend, make_backend
from remeasure.lab.lab import Lab
from remeasure.lab.topology import Topology
from remeasure.testbed.inventory import LabTestbed
from remeasure.testbed.remote import HostUnreachable, Remote


def backend_of(testbed: LabTestbed, cpus: int | None) -> Backend:
    """The guests of cells with so many processors (None: by default), with all they need built.

    Raises UserError.
    """
    return make_backend(choose_backend(testbed, cpus), testbed.memory_mib, cpus or 1)


def beyond(cpus: int | None) -> str | None:
    """Why no guest of so many processors is started here: the machine has fewer."""
    if cpus is not None and cpus > os.cpu_count():
        return f"{cpus} processors a guest, and the machine has {os.cpu_count()}"
    return None


class Hosts:
    """Open connections to the hosts of a topology. To be used inside `namespace.enter()`."""

    def __init__(self, testbed: LabTestbed, topology: Topology,
                 on_boot: Callable[[Backend, dict[str, Remote]], None],
                 on_end: Callable[[], None]):
        """`on_boot` is called when a lab answers, `on_end` when its last trial is done."""
        self._testbed, self._topology = testbed, topology
        self._on_boot, self._on_end = on_boot, on_end
        self._lab: Lab | None = None
        self._cpus: int | None = None
        self._remotes: dict[str, Remote] = {}

    def __enter__(self) -> "Hosts":
        return self

    def with_cpus(self, cpus: int | None) -> dict[str, Remote]:
        """role -> connection to a host with so many processors. Raises UserError."""
        if self._lab is None or cpus != self._cpus:
            self._stop()
            backend = backend_of(self._testbed, cpus)
            lab = Lab(self._topology, backend, self._testbed.testbed)
            inventory = lab.__enter__()
            self._lab, self._cpus = lab, cpus
            self._remotes = {role: Remote(inventory.host(role)) for role in self._topology.hosts}
            for remote in self._remotes.values():
                remote.connect()
            self._on_boot(backend, self._remotes)
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

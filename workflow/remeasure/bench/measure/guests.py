"""The hosts of a lab, started again if the next cell asks for other processors or addresses."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.plan import Task
from remeasure.bench.lab.image import get_image, kernel_facts
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.placement import prove_placement, usable_cores
from remeasure.bench.lab.testbeds import Backend, LabTestbed, cannot_compute, findings_here
from remeasure.bench.measure.block_hosts import BlockHosts, Session
from remeasure.bench.measure.linux import LinuxDriver
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.treatments.instructions import (
    GENERIC,
    Wanted,
    instruction_provers,
    require_one,
)
from remeasure.bench.testbed.watching.facts import facts_of, machine_facts
from remeasure.bench.testbed.watching.heartbeat import Heartbeat
from remeasure.bench.testbed.watching.load import LocalMeter
from remeasure.bench.testbed.watching.readiness import Needs, require, require_ready
from remeasure.bench.testbed.watching.unchanged import remember


class Guests(BlockHosts):
    """Hosts of a lab."""

    def __init__(
        self, testbed: LabTestbed, topology: Topology, needs: Needs, others: Mapping[str, Topology]
    ):
        """`others`: topologies that cells give, by name."""
        self._testbed, self._topology, self._needs = testbed, topology, needs
        self._others = others
        self._lab: Lab | None = None
        self.heartbeat: Heartbeat | None = None
        self._running = ExitStack()
        """their parts, which end together"""
        self._wanted: Wanted | None = None
        self._session = Session({}, {})
        self._usable = len(usable_cores())
        """number of cores that this process may use while no lab runs"""
        self._flags = machine_facts()["cpu_flags"].split()

    def require(self, wanted: set[Wanted]) -> None:
        """Build image and kernels while the network can still be reached, then enter the lab's
        namespaces: this process starts again in them, and only there does the method return."""
        possible = require_one(self.why_not, wanted)
        kernels = {self._testbed.kind_for(cell).name for cell in possible}
        if len(kernels) > 1:
            raise UserError(
                f"cells would be measured on different kernels ({', '.join(sorted(kernels))}), and "
                "differences between kernels would look like differences between cells"
            )
        require(findings_here(self._testbed.backend_kind, self._needs))
        for cell in possible:
            self._testbed.place(self._topology, cell)
        *_, backend = [self._testbed.backend_for(cell) for cell in possible]
        backend.enter()

    def why_not(self, wanted: Wanted) -> str | None:
        cpus, instructions, kind = wanted.cpus, wanted.instructions, self._testbed.kind_for(wanted)
        if wanted.boots and not kind.boots:
            return f"hosts of back end {kind.name} do not boot again; expected back end uml"
        if cpus is not None and cpus > self._usable:
            return (
                f"the scenario needs {cpus} processors per guest; this machine has {self._usable}"
            )
        if instructions is not None and instructions.same_as_all(self._flags):
            return (
                f"the cell leaves out {', '.join(instructions.without)}, of which this machine has "
                "none: it would be the cell that leaves out nothing"
            )
        return cannot_compute(kind, instructions)

    def after_panic(self, folder: Path) -> str | None:
        for guest in self._lab.guests if self._lab else []:
            if guest.panic:
                (folder / f"console.{guest.name}.txt").write_text(guest.panic)
                why = f"guest {guest.name} died: {guest.last_words()}"
                self._stop()
                return why
        return None

    def meter(self) -> LocalMeter:
        shares_kernel = not self._testbed.backend_kind.own_kernel
        return LocalMeter(_processes(self._session.remotes), shares_kernel, self.heartbeat)

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> LinuxDriver:
        lab = self._lab
        assert lab, "a session has one"
        processes = {guest.name: guest.process for guest in lab.guests}
        here = partial(prove_placement, lab.placement, processes)
        clears = lab.backend.kind.instructions
        wanted = task.settings.instructions or (GENERIC if clears else None)
        instructions = instruction_provers(wanted, remotes, self._flags, clears)
        return LinuxDriver(task, remotes, here, boot_provers=list(instructions))

    def session(self, wanted: Wanted) -> Session:
        if self._lab is None or wanted != self._wanted:
            self._stop()
            self._start(self._testbed.backend_for(wanted), wanted)
        return self._session

    def _start(self, backend: Backend, wanted: Wanted) -> None:
        topology = self._others.get(wanted.topology or "", self._topology)
        lab = Lab(topology, backend, self._testbed.name)
        inventory = self._running.enter_context(lab)
        self._lab, self._wanted = lab, wanted
        remotes = {role: Remote(inventory.host(role)) for role in self._topology.hosts}
        self._session = Session(remotes, {})
        for remote in remotes.values():
            self._running.callback(remote.close)
        at_once(Remote.connect, remotes.values())
        lab.watch(self._give_up)
        require_ready(remotes, self._needs)
        facts: dict[str, Any] = {
            "guests": {
                "backend": backend.kind.name,
                "accelerator": backend.accelerator,
                **backend.kind.nature(backend.accelerator),
                "cpus": backend.cpus,
                "placement": lab.placement.kind,
                "cores": {role: list(own) for role, own in lab.placement.cores.items()},
                "harness": list(lab.placement.harness),
            }
        }
        if backend.kind.own_kernel:
            image = get_image()
            facts["image"] = {**image.facts, "packages": image.packages}
            facts["kernel"] = kernel_facts(backend.kind.kernel)
        facts["hosts"] = facts_of(remotes, self._needs.tools)
        remember(remotes.values())
        self._session = Session(remotes, facts)
        self.heartbeat = Heartbeat(_processes(remotes), backend.kind.ticks)
        self._running.callback(self.heartbeat.stop)

    def _give_up(self, why: str) -> None:
        """Without one guest, the work of the others means nothing."""
        for remote in self._session.remotes.values():
            remote.give_up(why)

    def __exit__(self, error_type: type[BaseException] | None, *_: object) -> None:
        try:
            # A guest that died does not answer, and its console has the reason.
            if error_type is not None and issubclass(error_type, HostUnreachable):
                for guest in self._lab.guests if self._lab else []:
                    guest.check_alive()
        except UserError as error:
            raise HostUnreachable(str(error)) from error
        finally:
            self._stop()

    def _stop(self) -> None:
        self._running.close()
        self._lab = None


def _processes(remotes: Mapping[str, Remote]) -> dict[str, int]:
    """Role -> PID of the host's first process on this machine."""
    hosts = {role: remote.host.process for role, remote in remotes.items()}
    return {role: process for role, process in hosts.items() if process is not None}

"""What hosts are made of: the back ends of a lab."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from remeasure.errors import UserError
from remeasure.lab import namespace, qemu
from remeasure.lab.guest import Guest
from remeasure.lab.image import get_image, get_kernel
from remeasure.lab.netns import INTERFACE, MODULES, TOOLS, NetnsHost, root_options
from remeasure.lab.network import Network
from remeasure.lab.uml import UmlGuest
from remeasure.lab.veth import VethNetwork
from remeasure.testbed.inventory import LabTestbed
from remeasure.testbed.readiness import Finding, Here, Needs, check_machine
from remeasure.topology import Topology

Name = Literal["uml", "uml-smp", "qemu", "netns"]


@dataclass(frozen=True)
class Backend:
    """Guests of one kind."""

    name: Name
    cpus: int
    """of each guest"""
    make: Callable[[str, Path], Guest]
    """name, folder -> a guest that is not started"""
    interface: str
    """what its kernel calls interfaces: this, and a number from 0"""
    queues: int
    """of an interface on a link; of guests, more than one needs taps, not sockets"""
    boot_limit_s: float
    accelerator: str = "none"
    """kvm, tcg (emulated: functional only), or none, where a guest needs no virtual machine"""

    def enter(self) -> None:
        """Go where nothing else is. Raises UserError."""
        namespace.enter(root_options if self.name == "netns" else None)

    def network(self, topology: Topology) -> Network | VethNetwork:
        """What joins hosts of this kind, in the current network namespace."""
        if self.name == "netns":
            return VethNetwork(topology, self.queues)
        return Network(topology, self.queues if self.name == "qemu" else 0)


def make_backend(name: Name, memory_mib: int, cpus: int = 1) -> Backend:
    """A back end, with image and kernel built if they are missing. Raises UserError."""
    if name == "netns":
        return Backend("netns", cpus, partial(NetnsHost, cpus=cpus), INTERFACE, cpus, 20)
    image = get_image()
    if name == "uml":
        if cpus > 1:
            raise UserError(
                f"lab: back end uml: {cpus} processors a guest; Debian's User Mode "
                "Linux has one; expected back end uml-smp or qemu"
            )
        return Backend(
            "uml",
            1,
            partial(UmlGuest, kernel=image.kernel, disk=image.disk, memory_mib=memory_mib),
            "vec",
            1,
            60,
        )
    if name == "uml-smp":
        kernel = get_kernel("smp") / "linux"
        return Backend(
            "uml-smp",
            cpus,
            partial(UmlGuest, kernel=kernel, disk=image.disk, memory_mib=memory_mib, cpus=cpus),
            "vec",
            1,
            60,
        )
    kernel = get_kernel("stock")
    qemu.require_qemu()
    accelerator, _ = qemu.choose_accelerator(kernel, image)
    make = partial(
        qemu.QemuGuest,
        kernel=kernel,
        disk=image.disk,
        memory_mib=memory_mib,
        cpus=cpus,
        accelerator=accelerator,
    )
    return Backend("qemu", cpus, make, "eth", cpus, 120, accelerator)


def backend_for(testbed: LabTestbed, cpus: int | None) -> Backend:
    """The back end of hosts with `cpus` processors. None: of guests one, of namespaces all that we
    may run on. Raises UserError."""
    name = choose_backend(testbed, cpus)
    return make_backend(
        name, testbed.memory_mib, cpus or (len(os.sched_getaffinity(0)) if name == "netns" else 1)
    )


def findings_here(testbed: LabTestbed, needs: Needs) -> list[Finding]:
    """Of this machine, where its kernel and tools are the hosts' own."""
    return (
        check_machine(Here(), Needs(TOOLS, MODULES) | needs) if testbed.backend == "netns" else []
    )


def choose_backend(testbed: LabTestbed, cpus: int | None) -> Name:
    """Of guests with `cpus` processors, where a scenario says how many."""
    if testbed.backend != "uml" or cpus is None:
        return testbed.backend
    return _for_several_cpus() if testbed.several_cpus == "auto" else testbed.several_cpus


def _for_several_cpus() -> Name:
    if qemu.kvm_is_there():
        kernel = get_kernel("stock")
        qemu.require_qemu()
        accelerator, _ = qemu.choose_accelerator(kernel, get_image())
        if accelerator == "kvm":
            return "qemu"
    return "uml-smp"

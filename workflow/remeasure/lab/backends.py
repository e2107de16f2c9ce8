"""What guests are made of: the back ends of a lab."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from remeasure.errors import UserError
from remeasure.lab import qemu
from remeasure.lab.guest import Guest
from remeasure.lab.image import get_image, get_kernel
from remeasure.lab.uml import UmlGuest
from remeasure.testbed.inventory import LabTestbed

Name = Literal["uml", "uml-smp", "qemu"]


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
    """of an interface on a link; more than one needs taps, not sockets"""
    boot_limit_s: float
    accelerator: str = "none"
    """kvm, tcg (emulated: functional only), or none, where a guest needs no virtual machine"""

    @property
    def taps(self) -> bool:
        return self.name == "qemu"


def make_backend(name: Name, memory_mib: int, cpus: int = 1) -> Backend:
    """A back end, with image and kernel built if they are missing. Raises UserError."""
    image = get_image()
    if name == "uml":
        if cpus > 1:
            raise UserError(f"lab: back end uml: {cpus} processors a guest; Debian's User Mode "
                            "Linux has one; expected back end uml-smp or qemu")
        return Backend("uml", 1, partial(UmlGuest, kernel=image.kernel, disk=image.disk,
                                         memory_mib=memory_mib), "vec", 1, 60)
    if name == "uml-smp":
        kernel = get_kernel("smp") / "linux"
        return Backend("uml-smp", cpus, partial(UmlGuest, kernel=kernel, disk=image.disk,
                                                memory_mib=memory_mib, cpus=cpus), "vec", 1, 60)
    kernel = get_kernel("stock")
    qemu.require_qemu()
    accelerator, _ = qemu.choose_accelerator(kernel, image)
    make = partial(qemu.QemuGuest, kernel=kernel, disk=image.disk, memory_mib=memory_mib,
                   cpus=cpus, accelerator=accelerator)
    return Backend("qemu", cpus, make, "eth", cpus, 120, accelerator)


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

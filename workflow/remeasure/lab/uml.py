"""Back ends uml and uml-smp: a guest is a User Mode Linux kernel on a copy-on-write disk."""

from functools import partial
from pathlib import Path

from remeasure.lab.guest import UNTRIED, End, Guest, descriptors
from remeasure.lab.image import get_image, get_kernel, is_built
from remeasure.lab.kind import BackendKind, Make
from remeasure.lab.network import Network


class UmlGuest(Guest):
    """A guest of User Mode Linux. `kernel` is Debian's own for one processor, or the one that
    env/guest/kernel builds for several; `memory_mib` is its memory [MiB]."""

    def __init__(
        self, name: str, folder: Path, kernel: Path, disk: Path, memory_mib: int, cpus: int = 1
    ):
        super().__init__(name, folder)
        self._kernel, self._disk, self.image = kernel, disk, disk.parent
        self._memory_mib, self._cpus = memory_mib, cpus

    def command(self, ends: list[End]) -> list[str]:
        sockets = enumerate(descriptors(ends))
        devices = [f"vec{i}:transport=fd,fd={socket},depth=128" for i, socket in sockets]
        return [
            str(self._kernel),
            f"mem={self._memory_mib}M",
            f"umid={self.name}",
            f"uml_dir={self.folder}",
            f"ubd0={self.folder / 'disk.cow'},{self._disk}",
            f"ubd1r={self.folder / 'seed.tar'}",
            *([f"ncpus={self._cpus}"] if self._cpus > 1 else []),
            # An idle guest that stops its clock may miss an interrupt until its next timer.
            "nohz=off",
            "seccomp=on",
            UNTRIED,
            "root=/dev/ubda",
            "rw",
            "init=/sbin/lab-init",
            "quiet",
            "con=null",
            "con0=fd:0,fd:1",
            *devices,
        ]


def _prepare(memory_mib: int, cpus: int) -> Make:
    image = get_image()
    return partial(UmlGuest, kernel=image.kernel, disk=image.disk, memory_mib=memory_mib)


def _prepare_smp(memory_mib: int, cpus: int) -> Make:
    kernel, disk = get_kernel("smp") / "linux", get_image().disk
    return partial(UmlGuest, kernel=kernel, disk=disk, memory_mib=memory_mib, cpus=cpus)


KIND = BackendKind(
    name="uml",
    prepare=_prepare,
    network=lambda topology, cpus: Network(topology),
    interface="vec",
    ticks=True,
    boot_limit_s=60,
    several_cpus=False,
)
SMP_KIND = BackendKind(
    name="uml-smp",
    prepare=_prepare_smp,
    network=lambda topology, cpus: Network(topology),
    interface="vec",
    ticks=True,
    boot_limit_s=60,
    stands_in=lambda: True,
    compile_s=1200,
    is_built=lambda: is_built("smp"),
)

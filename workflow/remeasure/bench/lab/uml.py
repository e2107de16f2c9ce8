"""Back ends uml, uml-instructions and uml-smp: a guest is a User Mode Linux kernel on a
copy-on-write disk."""

from dataclasses import dataclass, replace
from functools import partial

from remeasure.bench.lab.guest import UNTRIED, BackendKind, ImageGuest, LinkEnd, Make, descriptors
from remeasure.bench.lab.image import KernelName, get_image, get_kernel
from remeasure.bench.lab.network import Network
from remeasure.bench.testbed.treatments.instructions import ANY, GENERIC, Wanted


@dataclass(eq=False)
class UmlGuest(ImageGuest):
    """A guest of User Mode Linux, on Debian's kernel or one that env/guest/kernel builds."""

    wanted: Wanted = ANY

    def command(self, ends: list[LinkEnd]) -> list[str]:
        sockets, cpus = enumerate(descriptors(ends)), self.wanted.cpus or 1
        devices = [f"vec{i}:transport=fd,fd={socket},depth=128" for i, socket in sockets]
        return [
            str(self.kernel),
            f"mem={self.memory_mib}M",
            f"umid={self.name}",
            f"uml_dir={self.folder}",
            f"ubd0={self.folder / 'disk.cow'},{self.disk}",
            f"ubd1r={self.folder / 'seed.tar'}",
            *([f"ncpus={cpus}"] if cpus > 1 else []),
            # An idle guest that stops its clock may miss an interrupt until its next timer.
            "nohz=off",
            "seccomp=on",
            UNTRIED,
            "root=/dev/ubda",
            "rw",
            "init=/sbin/lab-init",
            "quiet",
            *(self.wanted.instructions.boot if self.wanted.instructions else []),
            "con=null",
            "con0=fd:0,fd:1",
            *devices,
        ]


def _prepare(built: KernelName | None, memory_mib: int, wanted: Wanted) -> Make:
    """Prepare guests on a compiled kernel; None: on Debian's own, which has no code for
    instructions, and no parameter that takes them away."""
    image = get_image()
    kernel = get_kernel(built) / "linux" if built else image.kernel
    wanted = replace(wanted, instructions=(wanted.instructions or GENERIC) if built else None)
    return partial(UmlGuest, kernel=kernel, disk=image.disk, memory_mib=memory_mib, wanted=wanted)


_COMPILE_S = 614
"""seen on an Intel Xeon; both kernels that are compiled take about as long"""
KIND = BackendKind(
    name="uml",
    prepare=partial(_prepare, None),
    network=lambda topology, cpus: Network(topology),
    interface="vec",
    ticks=True,
    boots=True,
    boot_limit_s=60,
    several_cpus=False,
)
INSTRUCTIONS_KIND = replace(
    KIND,
    name="uml-instructions",
    prepare=partial(_prepare, "instructions"),
    instructions=True,
    compile_s=_COMPILE_S,
    kernel="instructions",
)
SMP_KIND = replace(
    INSTRUCTIONS_KIND,
    name="uml-smp",
    prepare=partial(_prepare, "smp"),
    several_cpus=True,
    stands_in=lambda: True,
    kernel="smp",
)

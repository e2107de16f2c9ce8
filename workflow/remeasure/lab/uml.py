"""A guest that is a User Mode Linux kernel on a copy-on-write disk."""

from pathlib import Path

from remeasure.lab.guest import End, Guest


class UmlGuest(Guest):
    """`kernel` is Debian's, for one processor, or ours for several (env/guest/kernel)."""

    def __init__(
        self, name: str, folder: Path, kernel: Path, disk: Path, memory_mib: int, cpus: int = 1
    ):
        super().__init__(name, folder)
        self._kernel, self._disk = kernel, disk
        self._memory_mib, self._cpus = memory_mib, cpus

    def command(self, ends: list[End]) -> list[str]:
        devices = [f"vec{i}:transport=fd,fd={end.fileno()},depth=128" for i, end in enumerate(ends)]
        return [
            str(self._kernel),
            f"mem={self._memory_mib}M",
            f"umid={self.name}",
            f"uml_dir={self.folder}",
            f"ubd0={self.folder / 'disk.cow'},{self._disk}",
            f"ubd1r={self.folder / 'seed.tar'}",
            *([f"ncpus={self._cpus}"] if self._cpus > 1 else []),
            # An idle guest whose clock stands may sleep through an interrupt until its next timer.
            "nohz=off",
            "seccomp=on",
            "root=/dev/ubda",
            "rw",
            "init=/sbin/lab-init",
            "quiet",
            "con=null",
            "con0=fd:0,fd:1",
            *devices,
        ]

"""One guest: a User Mode Linux kernel on a copy-on-write disk."""

import io
import socket
import subprocess
import tarfile
from pathlib import Path

from remeasure.errors import UserError
from remeasure.lab.image import Image


class Guest:
    """A running guest. It ends with the namespace it was started in, or by `stop`."""

    def __init__(self, name: str, folder: Path):
        self.name = name
        self.folder = folder
        self.console = folder / "console.log"
        self._process: subprocess.Popen | None = None

    def start(self, image: Image, memory_mib: int, ends: list[socket.socket],
              seed: dict[str, str]) -> None:
        """Boot. `ends` are those of its interfaces, in order (vec0, vec1, ...), and are the guest's
        alone from now on; `seed` is what its init is told, by file name (see env/guest/init)."""
        self.folder.mkdir(parents=True)
        write_seed(self.folder / "seed.tar", seed)
        devices = [f"vec{i}:transport=fd,fd={end.fileno()},depth=128"
                   for i, end in enumerate(ends)]
        command = [
            image.kernel, f"mem={memory_mib}M", f"umid={self.name}", f"uml_dir={self.folder}",
            f"ubd0={self.folder / 'disk.cow'},{image.disk}",
            f"ubd1r={self.folder / 'seed.tar'}",
            # An idle guest whose clock stands may sleep through an interrupt until its next timer.
            "nohz=off", "seccomp=on", "root=/dev/ubda", "rw", "init=/sbin/lab-init", "quiet",
            "con=null", "con0=fd:0,fd:1", *devices,
        ]
        with self.console.open("w") as console:
            self._process = subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=console, stderr=subprocess.STDOUT, start_new_session=True,
                pass_fds=[end.fileno() for end in ends],
            )
        for end in ends:
            end.close()

    @property
    def process(self) -> int:
        """PID of its kernel on this machine, parent of what runs in the guest."""
        return self._process.pid

    def check_alive(self) -> None:
        """Raises UserError with the end of the console if the guest died or its init failed."""
        text = self.console.read_text(errors="replace")
        if self._process.poll() is not None or "LAB-FAILED" in text:
            tail = " / ".join(text.strip().splitlines()[-3:])
            raise UserError(f"lab: guest {self.name} did not boot: {tail}")

    def stop(self) -> None:
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def write_seed(path: Path, files: dict[str, str]) -> None:
    """A tar archive that can be read as a disk."""
    with tarfile.open(path, "w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text.encode()), 0o600
            tar.addfile(info, io.BytesIO(text.encode()))

"""One guest: a process of this machine that is a host of the lab."""

import io
import os
import socket
import subprocess
import tarfile
from abc import ABC, abstractmethod
from pathlib import Path

from remeasure.errors import UserError

End = socket.socket | str
"""where an interface of a guest ends on this machine: a socket, or the name of a tap"""


class Guest(ABC):
    """A running guest. It ends with the namespace it was started in, or by `stop`."""

    def __init__(self, name: str, folder: Path):
        self.name = name
        self.folder = folder
        self.console = folder / "console.log"
        self._process: subprocess.Popen | None = None

    @abstractmethod
    def command(self, ends: list[End]) -> list[str]:
        """What boots it. Its second disk is <folder>/seed.tar, its console goes to standard
        output."""

    def start(self, ends: list[End], seed: dict[str, str]) -> None:
        """Boot. `ends` are those of its interfaces, in order, and are the guest's alone from now
        on; `seed` is what its init is told, by file name (see env/guest/init)."""
        self.folder.mkdir(parents=True)
        write_seed(self.folder / "seed.tar", seed)
        sockets = [end for end in ends if isinstance(end, socket.socket)]
        with self.console.open("w") as console:
            self._process = subprocess.Popen(
                self.command(ends),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=os.environ | {"TMPDIR": str(self.folder)},
                pass_fds=[end.fileno() for end in sockets],
            )
        for end in sockets:
            end.close()

    @property
    def process(self) -> int:
        """PID of its kernel on this machine, parent of what runs in the guest."""
        return self._process.pid

    def check_alive(self) -> None:
        """Raises UserError with the end of the console if the guest died or its init failed."""
        text = self.console.read_text(errors="replace")
        if "LAB-FAILED" in text or self._process.poll() is not None:
            ended = "died" if "LAB-READY" in text else "did not boot"
            raise UserError(f"lab: guest {self.name} {ended}: {self.last_words()}")

    def last_words(self) -> str:
        """Why its kernel gave up, if it says so, else the end of its console."""
        lines = self.console.read_text(errors="replace").strip().splitlines()
        panic = [line.strip() for line in lines if "Kernel panic" in line]
        return " / ".join(panic or lines[-3:]) or "its console is empty"

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

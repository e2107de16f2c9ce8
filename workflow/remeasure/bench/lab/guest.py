"""One guest: a process on this machine that is a host of the lab; and the definition of a back end:
how its hosts are made, and their abilities. A back end is a file of this folder with a `KIND`, an
entry in `testbeds.KINDS`, and a testbed that names it (config/testbeds)."""

import contextlib
import io
import os
import re
import signal
import socket
import subprocess
import tarfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.lab.image import KernelName
from remeasure.bench.testbed.host_kind import NATURES, Nature
from remeasure.bench.testbed.tools import Tool
from remeasure.bench.testbed.treatments.instructions import Wanted

_PANIC = "Kernel panic"
_GAVE_UP = re.compile(rf"{_PANIC}|\bBUG: |\bOops: |\bRIP: ")
"""lines in which Linux reports an error, its place, and that it stops"""
UNTRIED = "initcall_blacklist=raid6_init,xor_init,calibrate_xor_blocks"
"""argument of a User Mode Linux kernel that boots without trying which of its code for RAID and XOR
is fastest: that is half of the boot, waits for ticks, and is for file systems that no guest has"""
LinkEnd = socket.socket | str
"""the end of a guest's interface on this machine: a socket, or the name of an interface"""


class NotReady(UserError):
    """A guest runs, but is not ready within its time."""


@dataclass(eq=False)
class Guest(ABC):
    """A running guest. It ends with the namespace it was started in, or by `stop`."""

    name: str
    folder: Path
    image: Path | None = field(default=None, init=False)
    """folder of the image that it boots from, if it does"""
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @abstractmethod
    def command(self, ends: list[LinkEnd]) -> list[str]:
        """The command that boots the guest, with <folder>/seed.tar as its second disk and standard
        output as its console."""

    def start(self, ends: list[LinkEnd], seed: dict[str, str]) -> None:
        """Boot the guest. `ends` are the ends of its interfaces, in order, which only the guest
        keeps from now on. `seed` has the files that its init reads: file name -> text (see
        env/guest/init)."""
        self.folder.mkdir(parents=True)
        if self.image:  # for kernels of a bundle (image.RELATIVE)
            (self.folder / "lib").symlink_to(self.image / "lib")
        with tarfile.open(self.folder / "seed.tar", "w") as tar:
            for file, text in seed.items():
                info = tarfile.TarInfo(file)
                info.size, info.mode = len(text.encode()), 0o600
                tar.addfile(info, io.BytesIO(text.encode()))
        with self._console.open("w") as console:
            self._process = subprocess.Popen(
                self.command(ends),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=os.environ | {"TMPDIR": str(self.folder)},
                pass_fds=descriptors(ends),
            )
        for end in ends:
            if isinstance(end, socket.socket):
                end.close()

    @property
    def process(self) -> int:
        """PID of the guest's kernel on this machine, the parent of the guest's processes."""
        return self._started.pid

    @property
    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError(f"guest {self.name} was not started")
        return self._process

    def wait_until(self, ready: Callable[[], bool], limit_s: float) -> None:
        """Call `ready` until it returns True. Raises UserError with the end of the console, and
        advice on its image, if the guest ends meanwhile, and NotReady if it is not ready after
        `limit_s` seconds; raises whatever `ready` raises."""
        deadline = time.monotonic() + limit_s
        while not ready():
            try:
                self.check_alive()
            except UserError as error:
                raise UserError(f"{error}{self.advice}") from None
            if time.monotonic() > deadline:
                raise NotReady(
                    f"lab: guest {self.name} not ready after {limit_s:g} s: {self.last_words()}"
                    f"{self.advice}"
                )
            time.sleep(0.01)

    @property
    def advice(self) -> str:
        """The end of the error for a guest that did not boot."""
        again = f"; if no guest ever boots, delete {self.image}, it is built again"
        return again if self.image else ""

    @property
    def said(self) -> str:
        """The text on its console."""
        return self._console.read_text(errors="replace")

    @property
    def _console(self) -> Path:
        return self.folder / "console.log"

    @property
    def panic(self) -> str:
        """The console from the line on in which the guest's kernel reports why it gave up; empty if
        it did not. Earlier lines contain folders of this machine."""
        lines = self.said.splitlines(keepends=True) if _PANIC in self.said else []
        first = next((i for i, line in enumerate(lines) if _GAVE_UP.search(line)), 0)
        return "".join(lines[first:])

    def check_alive(self) -> None:
        """Check that the guest runs. Raises UserError with the signal that killed it, or with the
        end of the console if it died or its init failed. QEMU may go on after its guest died."""
        text, status = self.said, self._started.poll()
        if status is not None and status < 0 and _PANIC not in text:
            raise UserError(
                f"lab: guest {self.name} was killed by signal {-status} "
                f"({signal.strsignal(-status)})"
            )
        if "LAB-FAILED" in text or _PANIC in text or status is not None:
            ended = "died" if "LAB-READY" in text else "did not boot"
            raise UserError(f"lab: guest {self.name} {ended}: {self.last_words()}")

    def wait_for_end(self, limit_s: float = 5) -> None:
        """Wait for the end of a guest that is known to end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._started.wait(limit_s)

    def last_words(self) -> str:
        """The lines of the console with the reason and place at which the guest's kernel gave up,
        or the end of the console if there are none."""
        lines = self.said.strip().splitlines()
        panic = [line.strip() for line in lines if _GAVE_UP.search(line)]
        return " / ".join(dict.fromkeys(panic) or lines[-3:]) or "its console is empty"

    def stop(self) -> None:
        """End the guest if it is running."""
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait()


@dataclass(eq=False)
class ImageGuest(Guest):
    """A guest that boots from the disk of an image."""

    kernel: Path
    disk: Path
    memory_mib: int
    """its memory [MiB]"""

    def __post_init__(self) -> None:
        self.image = self.disk.parent


def descriptors(ends: list[LinkEnd]) -> list[int]:
    """File descriptors of the ends that are sockets."""
    return [end.fileno() for end in ends if isinstance(end, socket.socket)]


Make = Callable[[str, Path], Guest]
"""a function that makes a host, not yet started, from its name and folder"""


class LabNetwork(Protocol):
    """The network that joins the hosts of a lab, in the current network namespace."""

    ends: dict[str, list[LinkEnd]]
    """host -> end of each of its interfaces: the control network first, then its links in order"""

    def close(self) -> None:
        """Take the network down; afterwards another one may be made."""


@dataclass(frozen=True)
class BackendKind:
    """One back end. The defaults describe a guest: a kernel of its own on the guest image."""

    name: str
    """name of the back end in testbeds, on the command line and in archives"""
    prepare: Callable[[int, Wanted], Make]
    """takes the memory of each host [MiB] and the wanted processors, and returns the function that
    makes a host; builds image and kernel if they are missing; raises UserError"""
    network: Callable[[Topology, int], LabNetwork]
    """takes a topology and the processors of each host and returns the network, which is up"""
    interface: str
    """name that the host's kernel gives an interface, without the number, which counts from 0"""
    boot_limit_s: float
    """time within which a host must answer after its start [s]"""
    own_kernel: bool = True
    """whether each host runs a kernel of its own, on the guest image; otherwise hosts run the
    kernel, processors and tools of this machine"""
    ticks: bool = False
    """whether the kernel of a host ticks even when it is idle, so that its processor time always
    grows"""
    instructions: bool = False
    """whether its kernel has code for the processor's instructions for cryptography, and a switch
    for them"""
    boots: bool = False
    """whether a host may boot again as the same process of this machine, with the same links"""
    several_cpus: bool = True
    """whether a host may have more than one processor"""
    default_cpus: Callable[[], int] = lambda: 1
    """processors of an unpinned host, if the scenario does not say how many"""
    stands_in: Callable[[], bool] | None = None
    """whether this machine can start this back end in place of one whose hosts have one processor,
    for a scenario that sets the number of processors; None: it never stands in"""
    compile_s: float = 0
    """processor time for which its kernel is compiled, once [s]; 0: nothing is compiled"""
    kernel: KernelName | None = None
    """kernel that env/guest/kernel makes for its hosts; None: the kernel of the image"""
    accelerator: Callable[[], str] = lambda: "none"
    """kvm; tcg, which translates every instruction, so that only function can be tested; or none,
    if hosts are no virtual machines"""
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """name -> tool that this machine must have for hosts that use its programs, in addition to the
    scenario's"""
    modules: Mapping[str, str] = field(default_factory=dict)
    """kernel module that this machine must have for hosts that use its kernel -> the option of the
    kernel's configuration that builds it"""

    def nature(self, accelerator: str) -> Nature:
        """The nature of its hosts, under this accelerator."""
        if not self.own_kernel:
            return NATURES["namespaces"]
        return NATURES["emulated" if accelerator == "tcg" else "guests"]

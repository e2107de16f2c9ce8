"""The guest of virtual time: one User Mode Linux kernel whose root is a folder of this machine."""

import hashlib
import os
import shlex
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal

from remeasure.bench.base.paths import ROOT
from remeasure.bench.lab.guest import UNTRIED, Guest, LinkEnd
from remeasure.bench.lab.image import PRESENT, Image, Suite, built, get_image, get_kernel, get_older
from remeasure.bench.lab.placement import starting_on
from remeasure.bench.testbed.watching.processor_time import fields_of

BUILD = ROOT / "env" / "virtual-time" / "build"
_PROCESSOR = 36
"""index of `processor` in the fields of proc_pid_stat(5) that follow the program's name"""
_CHOOSING = Lock()
_HELD: dict["VirtualGuest", int] = {}
"""guest of this process that runs -> its core"""
_SOURCES = ("build", "virtual-time.c", "virtual-files.c", "agent.c", "init")


@dataclass
class GuestParts:
    """The parts of a guest, as files of this machine."""

    image: Image
    """image with its programs"""
    kernel: Path
    arguments: Sequence[str]
    """arguments of the kernel"""
    library: Path
    """library that replaces the kernel's clock"""
    root: Path
    """folder that is its root file system"""

    @property
    def source(self) -> str:
        """Hash of the sources of additions to the image, SHA-256 in hexadecimal."""
        text = b"".join((BUILD.parent / name).read_bytes() for name in _SOURCES)
        return hashlib.sha256(text).hexdigest()


def get_parts(
    kernel: Literal["debian", "instructions"] = "debian", suite: Suite | None = None
) -> GuestParts:
    """The parts, with this kernel and the programs of this suite (lab.testbeds.VirtualTestbed).
    Missing ones are built. Raises UserError if a build fails."""
    image = get_image()
    compiled = None if kernel == "debian" else get_kernel(kernel) / "linux"
    folder = built("virtual time", BUILD)
    older = None if suite in (None, PRESENT) else get_older(suite)
    return GuestParts(
        older or image,
        compiled or image.kernel,
        # Code for a processor's instructions would depend on the machine.
        ["clearcpuid=all"] if compiled else [],
        folder / "virtual-time.so",
        (older.folder if older else folder) / "root",
    )


# A kernel mixes its command line and its environment into its randomness, so all paths in them are
# the same on every machine. They lie where no cache, from which its files come, can be.
_HERE = Path("/sys")
_CHANNEL_NUMBER, _TERMINAL_NUMBER = 50, 60  # env/virtual-time/virtual-time.c knows the second
_ARGUMENTS = [
    "umid=virtual",
    f"uml_dir={_HERE}/run",
    "root=/dev/root",
    "rootfstype=hostfs",
    f"rootflags={_HERE}/root",
    "ro",
    "init=/usr/sbin/virtual-init",
    "seccomp=on",
    # Results of the kernel's measurements of its speed while it boots, by waiting for ticks that do
    # not come.
    "lpj=8560640",
    UNTRIED,
    "quiet",
    "con=null",
    "con0=null,fd:1",
    f"con1=fd:{_TERMINAL_NUMBER}",
    f"virtual_folder={_HERE}/channel",
]


@dataclass(eq=False)
class VirtualGuest(Guest):
    """A guest in virtual time."""

    parts: GuestParts
    memory_mib: int
    """its memory [MiB]"""
    environment: Mapping[str, object]
    """settings of the library (virtual-time.c), except for the channel and the file of
    the clock"""

    def __post_init__(self) -> None:
        self.image = self.parts.image.folder
        here = self.folder.with_name(f"{self.folder.name}-here")
        self.channel_folder = here / "channel"
        """folder that the guest sees, too"""
        self.clock = here / "clock"
        """file that holds the virtual time"""

    def last_words(self) -> str:
        """As of any guest; or why its kernel did without the library, or its agent ended."""
        telling = (
            line for line in self.said.splitlines() if "ld.so" in line or line.startswith("agent: ")
        )
        return next(telling, super().last_words())

    def boot(self) -> socket.socket:
        """Start the guest, on a core of its own if it can. Returns this end of its channel."""
        here = self.clock.parent
        for name in ("run", "channel", "root"):
            (here / name).mkdir(parents=True)
        for name in ("linux", "virtual-time.so"):
            (here / name).touch()
        self.clock.write_bytes(bytes(8))
        ours, theirs = socket.socketpair()
        with starting_on([self._free_core()], "a guest in virtual time"):
            self.start([theirs], {})
        return ours

    def _free_core(self) -> int:
        """The core where Linux has put this process, which was idle; another one if a guest of this
        process holds it."""
        here_now = int(fields_of(Path("/proc/self/stat").read_text())[_PROCESSOR])
        with _CHOOSING:
            held = [*_HELD.values()]
            cores = sorted(os.sched_getaffinity(0), key=lambda core: core != here_now)
            return _HELD.setdefault(self, min(cores, key=held.count))

    def stop(self) -> None:
        super().stop()
        _HELD.pop(self, None)

    def command(self, ends: list[LinkEnd]) -> list[str]:
        (channel,) = (end.fileno() for end in ends if isinstance(end, socket.socket))
        own = {
            "TMPDIR": _HERE / "run",
            "LD_PRELOAD": _HERE / "virtual-time.so",
            "VIRTUAL_CLOCK": _HERE / "clock",
            "VIRTUAL_CHANNEL": _CHANNEL_NUMBER,
        }
        environment = [f"{name}={value}" for name, value in {**self.environment, **own}.items()]
        kernel = [str(_HERE / "linux"), f"mem={self.memory_mib}M", *_ARGUMENTS]
        kernel += self.parts.arguments
        here = shlex.quote(str(self.clock.parent))
        parts = {"linux": self.parts.kernel, "virtual-time.so": self.parts.library}
        script = [
            f"mount --bind {here} {_HERE}",
            f"mount --bind {shlex.quote(str(self.parts.root))} {_HERE}/root",
            *(f"mount --bind {shlex.quote(str(p))} {_HERE}/{name}" for name, p in parts.items()),
            f"cd {_HERE}/run",
            f"exec {_CHANNEL_NUMBER}<&{channel} {channel}>&-",
            f"exec env -i {shlex.join([*environment, *kernel])}",
        ]
        return ["unshare", "--mount", "bash", "-ec", "\n".join(script)]

"""The guest of virtual time: one User Mode Linux kernel whose root is a folder of this machine; and
the channel to it: commands go in, their output comes out. The guest's clock stops while it has no
command to run, so nothing in it can time out because of this process. The order of commands
matters: one is asked for at a time."""

import hashlib
import select
import shlex
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.lab.guest import UNTRIED, End, Guest
from remeasure.bench.lab.image import (
    PRESENT,
    Image,
    Suite,
    built,
    get_image,
    get_kernel,
    get_older,
)
from remeasure.bench.lab.placement import starting_on
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.watching.processor_time import fields_of, guest_ns

BUILD = ROOT / "env" / "virtual-time" / "build"
_PROCESSOR = 36
"""index of `processor` in the fields of proc_pid_stat(5) that follow the program's name"""
_SOURCES = ("build", "virtual-time.c", "virtual-files.c", "agent.c", "init")


@dataclass
class Parts:
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
) -> Parts:
    """The parts, with this kernel and the programs of this suite (lab.testbeds.VirtualTestbed).
    Missing ones are built. Raises UserError if a build fails."""
    image = get_image()
    compiled = None if kernel == "debian" else get_kernel(kernel) / "linux"
    folder = built("virtual time", BUILD)
    older = None if suite in (None, PRESENT) else get_older(suite)
    return Parts(
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


class VirtualGuest(Guest):
    """A guest in virtual time. `memory_mib` is its memory [MiB]; `environment` has the library's
    settings (virtual-time.c), except for the channel and the clock's file, which are this
    class's."""

    def __init__(
        self,
        folder: Path,
        parts: Parts,
        memory_mib: int,
        environment: Mapping[str, object],
    ):
        super().__init__("virtual", folder)
        self._parts, self._memory_mib, self._environment = parts, memory_mib, environment
        self.image = parts.image.folder
        here = folder.with_name(f"{folder.name}-here")
        self.channel_folder = here / "channel"
        """folder that the guest sees, too"""
        self.clock = here / "clock"
        """file that holds the virtual time"""

    def last_words(self) -> str:
        """As of any guest; or why its kernel did without the library, or its agent ended."""
        lines = self.console.read_text(errors="replace").splitlines()
        telling = (line for line in lines if "ld.so" in line or line.startswith("agent: "))
        return next(telling, super().last_words())

    def boot(self) -> socket.socket:
        """Start the guest, on the core where Linux has put this process: one that was idle. Returns
        this end of its channel."""
        here = self.clock.parent
        for name in ("run", "channel", "root"):
            (here / name).mkdir(parents=True)
        for name in ("linux", "virtual-time.so"):
            (here / name).touch()
        self.clock.write_bytes(bytes(8))
        ours, theirs = socket.socketpair()
        here_now = int(fields_of(Path("/proc/self/stat").read_text())[_PROCESSOR])
        with starting_on([here_now], "a guest in virtual time"):
            self.start([theirs], {})
        return ours

    def command(self, ends: list[End]) -> list[str]:
        (channel,) = (end.fileno() for end in ends if isinstance(end, socket.socket))
        own = {
            "TMPDIR": _HERE / "run",
            "LD_PRELOAD": _HERE / "virtual-time.so",
            "VIRTUAL_CLOCK": _HERE / "clock",
            "VIRTUAL_CHANNEL": _CHANNEL_NUMBER,
        }
        environment = [f"{name}={value}" for name, value in {**self._environment, **own}.items()]
        kernel = [str(_HERE / "linux"), f"mem={self._memory_mib}M", *_ARGUMENTS]
        kernel += self._parts.arguments
        here = shlex.quote(str(self.clock.parent))
        parts = {"linux": self._parts.kernel, "virtual-time.so": self._parts.library}
        script = [
            f"mount --bind {here} {_HERE}",
            f"mount --bind {shlex.quote(str(self._parts.root))} {_HERE}/root",
            *(f"mount --bind {shlex.quote(str(p))} {_HERE}/{name}" for name, p in parts.items()),
            f"cd {_HERE}/run",
            f"exec {_CHANNEL_NUMBER}<&{channel} {channel}>&-",
            f"exec env -i {shlex.join([*environment, *kernel])}",
        ]
        return ["unshare", "--mount", "bash", "-ec", "\n".join(script)]


GUEST = "-"
"""stands for the guest itself where a host is named"""
TIMED_OUT = 124
"""exit status of timeout(1) if the command did not end in time"""
BOOT_LIMIT_S = 60
"""processor time within which a guest must answer first [s]"""
STANDING_LIMIT_S = 60
"""processor time that a guest may use while its clock is stopped [s]. To set up an IKE_SA takes
less than 1 s; only a process that never sleeps and never reads the clock takes more."""
_LOOK_S = 1.0
"""time between two looks at a guest that has not answered [s]"""
_DISAGREEMENT_S = 0.001
"""largest difference between the clock that the guest reads and the one that it is given [s]"""


@dataclass(frozen=True)
class Answer:
    """The result of a command; times are virtual [ns since the epoch]."""

    status: int
    output: bytes
    errors: bytes
    start_ns: int
    end_ns: int


class Channel:
    """The channel to one guest, which was just started."""

    def __init__(self, guest: VirtualGuest, end: socket.socket, epoch_s: int):
        """`end` is this end of the channel, `epoch_s` the beginning of the guest's clock [s since
        1970]."""
        self._guest, self._end, self._epoch_ns = guest, end, epoch_s * 10**9
        self._asked = 0
        self._unread = b""

    def now_ns(self) -> int:
        """The virtual time [ns since the epoch]."""
        return self._epoch_ns + self._clock_ns()

    def greet(self) -> None:
        """Wait until the guest has booted. Raises UserError with the reason if it did not."""
        try:
            self._answer("the end of its boot", BOOT_LIMIT_S)
        except HostUnreachable as error:
            raise UserError(f"{error}{self._guest.advice}") from None

    def ask(self, host: str, script: str, content: bytes, limit_s: float) -> Answer:
        """Run a script for sh on a host, or on the GUEST, with `content` as its input, for at most
        `limit_s` virtual seconds. Raises HostUnreachable if the guest ended, or does not answer any
        more."""
        self._asked += 1
        files = {
            part: self._guest.channel_folder / f"{self._asked}.{part}"
            for part in ("script", "input", "output", "errors")
        }
        files["script"].write_text(script)
        files["input"].write_bytes(content)
        start = self.now_ns()
        try:
            self._end.sendall(f"{self._asked} {host} {limit_s:g}\n".encode())
        except OSError:
            raise self._lost() from None
        status = self._answer(f"{host}: {script}", STANDING_LIMIT_S)
        output, errors = files["output"].read_bytes(), files["errors"].read_bytes()
        for file in files.values():
            file.unlink()
        return Answer(status, output, errors, start, self.now_ns())

    def close(self) -> None:
        self._end.close()

    def _answer(self, what: str, standing_limit_s: float) -> int:
        """The status in the next answer. `what` is the name of the request, for people."""
        number, status, clock = self._line(what, standing_limit_s).split()
        if int(number) != self._asked:
            raise HostUnreachable(f"virtual time: answer {number} to question {self._asked}")
        off = float(clock) - self._clock_ns() / 1e9
        # The first answer is given before the clock is set to the end of the boot.
        if self._asked and abs(off) > _DISAGREEMENT_S:
            raise HostUnreachable(
                f"virtual time: the guest's clock is off by {off:+.3f} s from the one that it is "
                "given: its kernel asks this machine for the time in a way that virtual-time.c "
                "does not replace; use another testbed"
            )
        return int(status)

    def _line(self, what: str, standing_limit_s: float) -> str:
        stood_at, used_then = self._clock_ns(), None
        while b"\n" not in self._unread:
            ready, _, _ = select.select([self._end], [], [], _LOOK_S)
            if ready:
                got = self._end.recv(4096)
                if not got:
                    raise self._lost()
                self._unread += got
                continue
            used = guest_ns(self._guest.process)
            if used_then is None or self._clock_ns() != stood_at:
                stood_at, used_then = self._clock_ns(), used
            elif used - used_then > standing_limit_s * 1e9:
                raise HostUnreachable(
                    f"virtual time: the guest used {standing_limit_s:g} s of processor time, and "
                    f"no virtual time passed, while asked for {_short(what)}: something in it "
                    "loops without reading the clock; set kernel_entry_ns of the testbed if it "
                    "makes system calls"
                )
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def _clock_ns(self) -> int:
        (now,) = struct.unpack("=q", self._guest.clock.read_bytes())
        return int(now)

    def _lost(self) -> HostUnreachable:
        self._guest.wait_for_end()
        try:
            self._guest.check_alive()
        except UserError as error:
            return HostUnreachable(str(error))
        return HostUnreachable(
            f"virtual time: the guest closed its channel: {self._guest.last_words()}"
        )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"{line[:200]} ..." if len(line) > 200 else line

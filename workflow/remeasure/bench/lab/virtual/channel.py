"""The channel to a guest in virtual time: commands go in, what they print comes out.

The guest's clock stops while it has no command to run, so nothing in it can time out because of
this process. Who asks in which order matters: one command is asked for at a time.
"""

import select
import socket
import struct
from dataclasses import dataclass

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.virtual.guest import VirtualGuest
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.watching.processor_time import guest_ns

GUEST = "-"
"""stands for the guest itself where a host is named"""
TIMED_OUT = 124
"""exit status of timeout(1) if the command did not end in time"""
BOOT_LIMIT_S = 60
"""processor time within which a guest must answer first [s]"""
STANDING_LIMIT_S = 60
"""processor time that a guest may use while its clock is stopped [s]. To set up an IKE_SA takes
less than 1 s; only what never sleeps and never reads the clock takes more."""
_LOOK_S = 1.0
"""time between two looks at a guest that has not answered [s]"""
_DISAGREEMENT_S = 0.001
"""largest difference between the clock that the guest reads and the one that it is given [s]"""


@dataclass(frozen=True)
class Answer:
    """What a command did; times are virtual [ns since the epoch]."""

    status: int
    output: bytes
    errors: bytes
    start_ns: int
    end_ns: int


class Channel:
    """The channel to one guest, which was just started."""

    def __init__(self, guest: VirtualGuest, end: socket.socket, epoch_s: int):
        """`end` is this end of the channel, `epoch_s` when the guest's clock begins [s since
        1970]."""
        self._guest, self._end, self._epoch_ns = guest, end, epoch_s * 10**9
        self._asked = 0
        self._unread = b""

    def now_ns(self) -> int:
        """The virtual time [ns since the epoch]."""
        return self._epoch_ns + self._clock_ns()

    def greet(self) -> None:
        """Wait until the guest has booted. Raises UserError saying why it did not."""
        try:
            self._answer("the end of its boot", BOOT_LIMIT_S)
        except HostUnreachable as error:
            raise UserError(
                f"{error}; if no guest ever boots, delete {self._guest.image}"
            ) from None

    def ask(self, host: str, script: str, content: bytes, limit_s: float) -> Answer:
        """Run a script for sh on a host, or on the GUEST, with `content` as its input, for at most
        `limit_s` virtual seconds.

        Raises HostUnreachable if the guest ended, or does not answer any more.
        """
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
        """The status in the next answer. `what` is asked for, for people."""
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

"""A lab in virtual time: a topology brought to life inside one guest, again for each trial, and its
hosts. They are asked through the channel of the guest: commands go in, their output comes out. The
guest's clock stops while it has no command to run, so nothing in it can time out because of this
process. The order of commands matters: one is asked for at a time."""

import hashlib
import os
import select
import shlex
import struct
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError, in_brief
from remeasure.bench.base.topology import Topology
from remeasure.bench.lab.namespace import RUN
from remeasure.bench.lab.network import setting_lines
from remeasure.bench.lab.virtual.guest import GuestParts, VirtualGuest
from remeasure.bench.testbed.borrowing.namespace_setup import (
    OWN_FILES,
    OWN_NETWORK,
    PLAIN_FILES,
    REAP,
    SPACES,
    link_lines,
)
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import batched, wait_until
from remeasure.bench.testbed.watching.processor_time import guest_ns


def make_hosts(topology: Topology, plain: Collection[str] = ()) -> str:
    """Script for the guest: its hosts, and links between them. The file /run/hosts/<host> gets the
    PID of the unshare(1) in whose namespaces the host is. `plain` hosts run no strongSwan, and need
    none of its files."""
    numbers = {host: number for number, host in enumerate(topology.hosts)}
    begun = [
        _begin_host(host, PLAIN_FILES if host in plain else OWN_FILES, f"unshare{number}")
        for host, number in numbers.items()
    ]
    links = []
    for link, ends in topology.links.items():
        one, other = (f"{link} netns $unshare{numbers[host]}" for host in ends)
        links.append(f"link add {one} type veth peer name {other}")
    ready = map(_wait_for_host, topology.hosts)
    return "\n".join(["set -e", *begun, *ready, "ip -batch - <<.", *links, "."])


def set_up_host(topology: Topology, host: str) -> str:
    """Script for a host: its interfaces, addresses and routes."""
    names = {link: link for link in topology.links_of(host)}
    # A link carries frames that a network card could send.
    segmenting = [f"ethtool -K {link} tso off tx-udp-segmentation off >/dev/null" for link in names]
    network = batched([*OWN_NETWORK.splitlines(), *link_lines(topology, host, names)])
    return "\n".join(["set -e", *segmenting, *network, *setting_lines(host)])


def _begin_host(host: str, files: str, pid: str) -> str:
    script = shlex.join(["sh", "-ec", f"{files}\necho ready\n{REAP}"])
    begun = f"unshare {SPACES} {script} </dev/null >/run/{host}.log 2>&1 &"
    return f"{begun}\n{pid}=$!; echo ${pid} >/run/hosts/{host}"


def _wait_for_host(host: str) -> str:
    """A shell line, of the shell's own words: a guest is slow to start programs."""
    log = f"/run/{host}.log"
    ready = f'{{ read -r said <{log}; }} 2>/dev/null && [ "$said" = ready ]'
    return wait_until(ready, f"cat {log} >&2; exit 1", pause_s=0.01)


EPOCH_S = 1767225600
"""the beginning of the clocks of all guests, and of the certificates of all campaigns [s since
1970]: 2026-01-01 00:00 UTC"""
_SET_UP_LIMIT_S = 30
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
class CommandResult:
    """The result of a command; times are virtual [ns since the epoch]."""

    status: int
    output: bytes
    errors: bytes
    start_ns: int
    end_ns: int


class VirtualLab:
    """The hosts of a topology in virtual time. Their actions depend only on the parts of the guest,
    its memory, `kernel_entry_ns`, the seed, and the requests."""

    _numbers = count(1)

    def __init__(
        self,
        topology: Topology,
        parts: GuestParts,
        memory_mib: int,
        kernel_entry_ns: int,
        seed: str,
        begin_s: int = 0,
        plain: Collection[str] = (),
    ):
        """The clock begins `begin_s` seconds after EPOCH_S. `kernel_entry_ns`: virtual time that an
        entry of a process into the kernel takes [ns]. `plain`: hosts that run no strongSwan."""
        self.topology = topology
        self._epoch_ns = (EPOCH_S + begin_s) * 10**9
        environment = {
            "VIRTUAL_SEED": number_of(seed) >> 1,
            "VIRTUAL_EPOCH_S": EPOCH_S + begin_s,
            "VIRTUAL_ENTRY_NS": kernel_entry_ns,
        }
        folder: Path = RUN / f"virtual-{next(VirtualLab._numbers)}"
        self._guest = VirtualGuest("virtual", folder, parts, memory_mib, environment)
        self._end, self._asked, self._unread = self._guest.boot(), 0, b""
        try:
            self._wait_for_boot()
            self._require(GUEST, make_hosts(topology, plain))
            for host in topology.hosts:
                self._require(host, set_up_host(topology, host))
        except BaseException:
            self.close()
            raise

    @property
    def process(self) -> int:
        """PID of the guest's kernel on this machine."""
        return self._guest.process

    def close(self) -> None:
        self._end.close()
        self._guest.stop()

    def now_ns(self) -> int:
        """The virtual time [ns since the epoch]."""
        return self._epoch_ns + self._clock_ns()

    def _wait_for_boot(self) -> None:
        """Wait until the guest has booted. Raises UserError with the reason if it did not."""
        try:
            self._answer("the end of its boot", BOOT_LIMIT_S)
        except HostUnreachable as error:
            raise UserError(f"{error}{self._guest.advice}") from None

    def ask(self, host: str, script: str, content: bytes, limit_s: float) -> CommandResult:
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
        return CommandResult(status, output, errors, start, self.now_ns())

    def _answer(self, what: str, standing_limit_s: float) -> int:
        """The status in the next answer. `what` is the name of the request, for people."""
        asked_s = self._clock_ns() / 1e9
        _, status, clock = self._line(what, standing_limit_s).split()
        # It answers, and then goes on with other work, which may take time, until it is idle.
        told_s, now_s = float(clock), self._clock_ns() / 1e9
        # The first answer is given before the clock is set to the end of the boot.
        if self._asked and not asked_s - _DISAGREEMENT_S <= told_s <= now_s + _DISAGREEMENT_S:
            raise HostUnreachable(
                f"virtual time: the guest's clock says {told_s:.3f} s, expected {asked_s:.3f} to "
                f"{now_s:.3f} s, as it is given: its kernel asks this machine for the time in a "
                "way that virtual-time.c does not replace; use another testbed"
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
                    f"no virtual time passed, while asked for {in_brief(' '.join(what.split()))}: "
                    "something in it loops without reading the clock; set kernel_entry_ns of the "
                    "testbed if it makes system calls"
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

    def _require(self, host: str, script: str) -> None:
        answer = self.ask(host, script, b"", _SET_UP_LIMIT_S)
        if answer.status:
            said = " / ".join(answer.errors.decode(errors="replace").strip().splitlines()[-3:])
            where = "its guest" if host == GUEST else f"host {host}"
            raise UserError(f"virtual time: {where} could not be set up: {said}")


def number_of(text: str) -> int:
    """A number of 64 bits that depends on every character of a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


class VirtualRemote(Remote):
    """One host, in the lab that `lab` returns. Times of commands are virtual."""

    has_own_clock = False
    address = "virtual time"

    def __init__(self, host: Host, lab: Callable[[], VirtualLab]):
        super().__init__(host)
        self.has_files, self._lab = False, lab

    def connect(self) -> Any:
        """There is no connection to open."""

    def _answer(self, what: str, line: str, content: bytes, limit: float) -> tuple[str, str, int]:
        """As Remote._answer; `limit` is virtual time [s], at whose end the command is ended."""
        answer = self._lab().ask(self.name, line, content, limit)
        if answer.status == TIMED_OUT and answer.end_ns - answer.start_ns >= limit * 1e9:
            raise TimeoutError
        output, errors = (one.decode(errors="replace") for one in (answer.output, answer.errors))
        return output, errors, answer.status

    def _now_ns(self) -> int:
        return self._lab().now_ns()

    def _require_alive(self) -> None:
        """The lab finds a guest that hangs."""


def virtual_remote(topology: Topology, name: str, lab: Callable[[], VirtualLab]) -> VirtualRemote:
    """The host `name` of a topology, in the lab that `lab` returns."""
    links = {link: link for link in topology.links_of(name)}
    host = Host(name=name, roles=[name], address="-", key=Path(os.devnull), interfaces=links)
    return VirtualRemote(host, lab)

"""A lab in virtual time: a topology brought to life inside one guest, again for each trial, and its
hosts, which are asked through the channel of the guest."""

import hashlib
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.lab.namespace import RUN
from remeasure.bench.lab.network import link_lines, setting_lines
from remeasure.bench.lab.virtual.guest import GUEST, TIMED_OUT, Channel, Parts, VirtualGuest
from remeasure.bench.testbed.borrowing.namespace_setup import OWN_FILES, OWN_NETWORK, REAP, SPACES
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.tools import ADMIN_FOLDERS, fail, wait_until


def make_hosts(topology: Topology) -> str:
    """Script for the guest: its hosts, and links between them. The file /run/hosts/<host> gets the
    PID of the host's first process."""
    lines = [line for host in topology.hosts for line in _make_host(host)]
    for link, (left, right) in topology.links.items():
        lines.append("ip link add left type veth peer name right")
        lines += [
            f"ip link set {end} netns $(cat /run/hosts/{host}) name {link}"
            for end, host in (("left", left), ("right", right))
        ]
    return "\n".join(["set -e", *lines])


def set_up_host(topology: Topology, host: str) -> str:
    """Script for a host: its interfaces, addresses and routes."""
    segmenting = [
        # A link carries frames that a network card could send.
        f"ethtool -K {link} tso off tx-udp-segmentation off >/dev/null"
        for link in topology.links_of(host)
    ]
    return "\n".join(
        ["set -e", OWN_NETWORK, *segmenting, *link_lines(topology, host), *setting_lines(host)]
    )


def _make_host(host: str) -> list[str]:
    log = f"/run/{host}.log"
    script = shlex.join(["sh", "-ec", f"{OWN_FILES}\necho ready\n{REAP}"])
    return [
        f"unshare {SPACES} {script} </dev/null >{log} 2>&1 &",
        "unshare=$!",
        wait_until(f"grep -qx ready {log}", f"cat {log} >&2; exit 1", pause_s=0.01),
        f"pgrep -P $unshare >/run/hosts/{host} || {{ {fail(f'{host}: no process')}; }}",
    ]


EPOCH_S = 1767225600
"""the beginning of the clocks of all guests, and of the certificates of all campaigns [s since
1970]: 2026-01-01 00:00 UTC"""
_SET_UP_LIMIT_S = 30


class VirtualLab(Channel):
    """The hosts of a topology in virtual time. Their actions depend only on the parts of the guest,
    its memory, `kernel_entry_ns`, the seed, and the requests."""

    _count = 0

    def __init__(
        self,
        topology: Topology,
        parts: Parts,
        memory_mib: int,
        kernel_entry_ns: int,
        seed: str,
        begin_s: int = 0,
    ):
        """The clock begins `begin_s` seconds after EPOCH_S. `kernel_entry_ns`: virtual time that an
        entry of a process into the kernel takes [ns]."""
        VirtualLab._count += 1
        self.topology = topology
        epoch = EPOCH_S + begin_s
        environment = {
            "VIRTUAL_SEED": number_of(seed) >> 1,
            "VIRTUAL_EPOCH_S": epoch,
            "VIRTUAL_ENTRY_NS": kernel_entry_ns,
        }
        folder: Path = RUN / f"virtual-{VirtualLab._count}"
        guest = VirtualGuest(folder, parts, memory_mib, environment)
        super().__init__(guest, guest.boot(), epoch)
        try:
            self.greet()
            self._require(GUEST, make_hosts(topology))
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
        super().close()
        self._guest.stop()

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
        self._lab = lab

    def connect(self) -> Any:
        """Raises HostUnreachable if the host was given up; there is no connection to return."""
        if self._lost:
            raise HostUnreachable(self._lost)

    def give_up(self, why: str) -> None:
        self._lost = why

    def _exchange(
        self, what: str, line: str, content: bytes, limit: float
    ) -> tuple[bytes, bytes, int]:
        """As Remote._exchange; `limit` is virtual time [s], at whose end the command is ended."""
        self.connect()
        answer = self._lab().ask(self.name, line, content, limit)
        if answer.status == TIMED_OUT and answer.end_ns - answer.start_ns >= limit * 1e9:
            raise TimeoutError
        return answer.output, answer.errors, answer.status

    def _now_ns(self) -> int:
        return self._lab().now_ns()

    def _require_alive(self) -> None:
        """`Channel` finds a guest that hangs."""

    def _line(self, text: str) -> str:
        return f"export PATH=$PATH:{ADMIN_FOLDERS}; {text}"

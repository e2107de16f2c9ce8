"""The hosts of a block in virtual time: a guest of its own for each trial. A trial then depends on
nothing before it, and a block that was interrupted and resumed is the same as one that was not."""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from remeasure.bench.base.checks import Check, equal
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.pki import Credentials
from remeasure.bench.lab.namespace import enter, require_programs
from remeasure.bench.lab.testbeds import VirtualTestbed
from remeasure.bench.lab.virtual.guest import GuestParts, get_parts
from remeasure.bench.lab.virtual.virtual_lab import (
    EPOCH_S,
    VirtualLab,
    VirtualRemote,
    number_of,
    virtual_remote,
)
from remeasure.bench.measure.block_hosts import BlockHosts, Session
from remeasure.bench.measure.linux import LinuxDriver
from remeasure.bench.testbed.host_kind import NATURES, STRONGSWAN, upstream
from remeasure.bench.testbed.record_clock import RecordClock
from remeasure.bench.testbed.remote import Remote, in_turn
from remeasure.bench.testbed.treatments.instructions import ANY, Wanted
from remeasure.bench.testbed.treatments.treatment import Prover
from remeasure.bench.testbed.watching.facts import facts_of
from remeasure.bench.testbed.watching.readiness import Needs, require_ready
from remeasure.bench.testbed.watching.unchanged import remember

_TRIAL_S = 3600
"""time between the beginnings of two trials of a block by their guests' clocks [s]"""
_MACHINE = {"cpu": "virtual time", "cpu_flags": "", "cpus": 1, "kernel": "virtual time"}
"""facts recorded in place of the machine, since a block must not depend on it"""
_ASK = "(swanctl --version; swanctl --version --daemon; tc -V; ip -V; iperf3 --version) 2>&1"
_FOUND = {
    STRONGSWAN: r"strongSwan (?:[a-z-]+ )?([0-9]\S*)",
    "iproute2": r"utility, iproute2-([^\s,]+)",
    "iperf3": r"^iperf (\S+)",
}
"""Debian package -> its versions in the answer, one for each program and for a running daemon"""


class VirtualHosts(BlockHosts):
    """Hosts in virtual time."""

    repeats = True
    _parts: GuestParts
    """parts of guests, from `require` on"""
    _lab: VirtualLab
    """the guest of the present trial"""

    def __init__(self, testbed: VirtualTestbed, topology: Topology, needs: Needs):
        self._testbed, self._topology, self._needs = testbed, topology, needs
        self._session: Session | None = None
        self._in_turn, self._running = ExitStack(), ExitStack()

    def require(self, wanted: set[Wanted]) -> None:
        """Build the parts of guests, then enter the lab's namespaces, as Guests do."""
        require_programs("unshare", "mount")
        self._parts = get_parts(self._testbed.kernel, self._testbed.suite)
        enter(tun=False)

    def __enter__(self) -> Self:
        self._in_turn.enter_context(in_turn())
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()
        self._in_turn.close()

    def why_not(self, wanted: Wanted) -> str | None:
        if wanted.boots:
            return "in virtual time all hosts share one kernel, which cannot boot again"
        if replace(wanted, topology=None) == ANY:
            return None
        return "in virtual time a host has one processor, of endless speed"

    def credentials(self, folder: Path, seed: int) -> Credentials:
        made = datetime.datetime.fromtimestamp(EPOCH_S, datetime.UTC)
        return Credentials(folder, str(seed), made)

    def remotes(self) -> dict[str, VirtualRemote]:
        """The hosts of a lab that is started now: role -> connection."""
        self._start("session", 0, self._topology)
        return {host: self._remote(host) for host in self._topology.hosts}

    def now_ns(self) -> int:
        """The virtual time of the lab that runs [ns since the epoch]."""
        return self._lab.now_ns()

    def session(self, wanted: Wanted) -> Session:
        if self._session is None:
            remotes = self.remotes()
            require_ready(remotes, self._needs)
            self._session = Session(remotes, self._facts(remotes), _Clock(self.now_ns))
        return self._session

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> LinuxDriver:
        """Start the guest of a trial; the seed is all that distinguishes it from another one."""
        self._start(task.origin, _TRIAL_S * task.order, task.topology)
        probes = {name: probe for name, probe in task.probes.items() if not probe.needs_machine}
        packages = self._parts.image.packages | self._parts.image.lent
        of_suite = version_provers(packages, remotes) if self._testbed.suite else ()
        remember(remotes.values())
        return LinuxDriver(
            replace(task, probes=probes),
            remotes,
            randomness=lambda place: number_of(f"{task.origin}/{place}"),
            boot_provers=list(of_suite),
        )

    def _start(self, seed: str, begin_s: int, topology: Topology) -> None:
        self._running.close()
        memory_mib, kernel_entry_ns = self._testbed.memory_mib, self._testbed.kernel_entry_ns
        self._lab = VirtualLab(topology, self._parts, memory_mib, kernel_entry_ns, seed, begin_s)
        self._running.callback(self._lab.close)

    def _remote(self, name: str) -> VirtualRemote:
        return virtual_remote(self._topology, name, lambda: self._lab)

    def _facts(self, remotes: Mapping[str, Remote]) -> dict[str, Any]:
        """The facts of a session, without facts of the machine under the guest."""
        image, kernel = self._parts.image, self._testbed.kernel
        facts = facts_of(remotes, self._needs.tools)
        for of_host in facts.values():
            del of_host["cpu"], of_host["cpu_flags"]  # of the machine under the guest
        return {
            "guests": {
                "backend": self._testbed.backend,
                "accelerator": "none",
                **NATURES["virtual"],
                "cpus": 1,
                "source": self._parts.source,
                "memory_mib": self._testbed.memory_mib,
                "kernel_entry_ns": self._testbed.kernel_entry_ns,
                **({"kernel": kernel} if kernel != "debian" else {}),
            },
            "image": {
                **{name: image.facts[name] for name in ("recipe", "suite")},
                "packages": image.packages,
                **({"lent": image.lent} if image.lent else {}),
            },
            "hosts": facts,
            "machine": _MACHINE,
        }


class _Clock(RecordClock):
    """The virtual clock, which nobody can set."""

    def __init__(self, now_ns: Callable[[], int]):
        self._now_ns = now_ns

    def now_ns(self) -> int:
        return self._now_ns()

    def watch(self) -> Callable[[], list[str]]:
        return list


def version_provers(packages: Mapping[str, str], hosts: Iterable[str]) -> Iterable[Prover]:
    """Prove that strongSwan, which comes from an older Debian release (lab.image.Suite), and
    measuring tools have these versions (package -> Debian's version)."""
    wanted = {name: upstream(packages[name]) for name in _FOUND}
    for host in hosts:
        yield Prover(host, {f"proof.{host}.versions.txt": _ASK}, partial(_check, host, wanted))


def _check(host: str, wanted: Mapping[str, str], said: str) -> list[Check]:
    found = {name: set(re.findall(form, said, re.MULTILINE)) for name, form in _FOUND.items()}
    return [
        equal("versions", f"{host}: version of {name}", ", ".join(sorted(found[name])), version)
        for name, version in wanted.items()
    ]

"""The hosts of a block in virtual time: a guest of its own for each trial, a
remeasure.bench.measure.block_hosts.BlockHosts. A trial then depends on nothing before it, and a
block that was interrupted and resumed is the same as one that was not."""

import datetime
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.pki import Credentials, SeededCredentials
from remeasure.bench.lab.namespace import enter, lone_root_options, require_programs
from remeasure.bench.lab.testbeds import VirtualTestbed
from remeasure.bench.lab.virtual.guest import Parts, get_parts
from remeasure.bench.lab.virtual.virtual_lab import EPOCH_S, VirtualLab, VirtualRemote, number_of
from remeasure.bench.measure.block_hosts import Session
from remeasure.bench.measure.linux import LinuxDriver
from remeasure.bench.testbed.host_kind import NATURES
from remeasure.bench.testbed.inventory import Host
from remeasure.bench.testbed.record_clock import RecordClock
from remeasure.bench.testbed.remote import Remote, in_turn
from remeasure.bench.testbed.treatments.instructions import ANY, Wanted
from remeasure.bench.testbed.treatments.treatment import Prover
from remeasure.bench.testbed.treatments.versions import version_provers
from remeasure.bench.testbed.watching.facts import facts_of
from remeasure.bench.testbed.watching.load import Meter
from remeasure.bench.testbed.watching.readiness import Needs, require_ready
from remeasure.bench.testbed.watching.unchanged import remember

_TRIAL_S = 3600
"""time between the beginnings of two trials of a block by their guests' clocks [s]"""
_MACHINE = {"cpu": "virtual time", "cpu_flags": "", "cpus": 1, "kernel": "virtual time"}
"""facts recorded in place of the machine, since a block must not depend on it"""
_OF_THE_MACHINE = ("cpu", "cpu_flags")
"""facts of the machine under the guest"""


class VirtualHosts:
    """Hosts in virtual time."""

    repeats = True

    def __init__(self, testbed: VirtualTestbed, topology: Topology, needs: Needs):
        self._testbed, self._topology, self._needs = testbed, topology, needs
        self._parts: Parts | None = None
        self._lab: VirtualLab | None = None
        self._session: Session | None = None
        self._open = ExitStack()

    def require(self, wanted: set[Wanted]) -> None:
        """Build the parts of guests while the network can still be reached, then enter the lab's
        namespaces: this process starts again in them, and only there does the method return."""
        require_programs("unshare", "mount")
        get_parts(self._testbed.kernel, self._testbed.suite)
        enter(lone_root_options)

    def __enter__(self) -> "VirtualHosts":
        self._parts = get_parts(self._testbed.kernel, self._testbed.suite)
        self._open.enter_context(in_turn())
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self._open.close()

    def why_not(self, wanted: Wanted) -> str | None:
        if replace(wanted, topology=None) == ANY:
            return None
        return "in virtual time a host has one processor, of endless speed"

    def after_panic(self, folder: Path) -> None:
        """A guest that is started again would panic again."""

    def credentials(self, folder: Path, seed: int) -> Credentials:
        made = datetime.datetime.fromtimestamp(EPOCH_S, datetime.UTC)
        return SeededCredentials(folder, str(seed), made)

    def remotes(self) -> dict[str, VirtualRemote]:
        """The hosts of a lab that is started now: role -> connection."""
        self._start("session", 0, self._topology)
        return {host: self._remote(host) for host in self._topology.hosts}

    def now_ns(self) -> int:
        """The virtual time of the lab that runs [ns since the epoch]."""
        return self._running.now_ns()

    def session(self, wanted: Wanted) -> Session:
        if self._session is None:
            remotes = self.remotes()
            require_ready(remotes, self._needs)
            self._session = Session(remotes, self._facts(remotes), _Clock(lambda: self._running))
        return self._session

    def meter(self) -> Meter:
        return Meter()

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> LinuxDriver:
        """Start the guest of a trial; the seed is all that distinguishes it from another one."""
        self._start(task.origin, _TRIAL_S * task.order, task.topology)
        probes = {name: probe for name, probe in task.probes.items() if not probe.needs_machine}
        remember(remotes.values())
        return LinuxDriver(
            replace(task, probes=probes),
            remotes,
            randomness=lambda place: number_of(f"{task.origin}/{place}"),
            boot_provers=list(self._version_provers(remotes)),
        )

    @property
    def _running(self) -> VirtualLab:
        if self._lab is None:
            raise RuntimeError("no lab runs")
        return self._lab

    def _version_provers(self, hosts: Iterable[str]) -> Iterable[Prover]:
        if self._testbed.suite is None or self._parts is None:
            return ()
        image = self._parts.image
        return version_provers(image.packages | image.lent, hosts)

    def _start(self, seed: str, begin_s: int, topology: Topology) -> None:
        self._close()
        if self._parts is None:
            raise RuntimeError("not entered")
        testbed = self._testbed
        self._lab = VirtualLab(
            topology,
            self._parts,
            testbed.memory_mib,
            testbed.kernel_entry_ns,
            seed,
            begin_s,
        )

    def _close(self) -> None:
        if self._lab is not None:
            self._lab.close()
            self._lab = None

    def _remote(self, name: str) -> VirtualRemote:
        host = Host(
            name=name,
            roles=[name],
            address="-",
            key=Path(os.devnull),
            interfaces={link: link for link in self._topology.links_of(name)},
        )
        return VirtualRemote(host, lambda: self._running)

    def _facts(self, remotes: Mapping[str, Remote]) -> dict[str, Any]:
        """The facts of a session, without facts of the machine under the guest."""
        if self._parts is None:
            raise RuntimeError("not entered")
        image, kernel = self._parts.image, self._testbed.kernel
        facts = facts_of(remotes, self._needs.tools)
        for of_host in facts.values():
            for name in _OF_THE_MACHINE:
                del of_host[name]
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

    def __init__(self, lab: Callable[[], VirtualLab]):
        self._lab = lab

    def now_ns(self) -> int:
        return self._lab().now_ns()

    def watch(self) -> Callable[[], list[str]]:
        return list

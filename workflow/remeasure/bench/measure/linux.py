"""The driver of Linux hosts: lab guests, namespaces, and machines of an inventory; and those
machines, borrowed for a block."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from remeasure.bench.base.checks import Check
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.agreement import Carried, check_by_link
from remeasure.bench.ipsec.clear_text import clear_text_no_more, clear_text_setters
from remeasure.bench.ipsec.ipsec_tunnel import IpsecTunnel
from remeasure.bench.ipsec.kinds import KINDS
from remeasure.bench.ipsec.proof import no_ipsec_provers
from remeasure.bench.measure.block_hosts import BlockHosts, Session
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.borrowing.borrowed import Borrowed
from remeasure.bench.testbed.host_kind import NATURES
from remeasure.bench.testbed.inventory import Inventory
from remeasure.bench.testbed.remote import CommandFailed, Remote, at_once
from remeasure.bench.testbed.treatments import receiving
from remeasure.bench.testbed.treatments.disciplines import shaping_provers, shaping_setters
from remeasure.bench.testbed.treatments.instructions import Wanted, require_one
from remeasure.bench.testbed.treatments.shaping import Place, Shaping
from remeasure.bench.testbed.treatments.treatment import Prover, apply, prove
from remeasure.bench.testbed.watching import counters, facts
from remeasure.bench.testbed.watching.facts import facts_of
from remeasure.bench.testbed.watching.readiness import Needs, require_ready
from remeasure.bench.testbed.watching.unchanged import merging_again, remember, unchanged_provers

ProveHere = Callable[[Callable[[str, bytes], None]], Iterable[Check]]
"""makes checks, and hands their sources to the function that it is given, with a file name"""


class LinuxDriver:
    """Sets up Linux hosts for one trial, as a remeasure.bench.measure.block_hosts.Driver."""

    def __init__(
        self,
        task: Task,
        remotes: Mapping[str, Remote],
        prove_here: ProveHere = lambda keep: (),
        randomness: Callable[[str], int] | None = None,
        boot_provers: Sequence[Prover] = (),
    ):
        """`prove_here` checks facts that only this machine knows; `randomness` gives the seed of
        each netem (disciplines.shaping_setters); `boot_provers` prove how hosts were started: their
        kernels, or their programs."""
        self.remotes = remotes
        self._randomness, self._boot_provers = randomness, boot_provers
        self._task, self._prove_here = task, prove_here
        self._families = task.topology.families
        self._wanted = tunnel = task.settings.tunnel
        self.tunnel = (
            KINDS[tunnel.kind](tunnel, task.topology, remotes, task.credentials) if tunnel else None
        )

    def set_up(self) -> Mapping[str, Probe]:
        settings = self._task.settings
        setters = [
            *receiving.forgetting(self.remotes, self._families),
            *receiving.reassembly_setters(self.remotes, self._families),
            *shaping_setters(self._shaping(), self._randomness),
            *receiving.receiving_setters(settings.steering, settings.gro, self._links()),
            *clear_text_setters(self._wanted, self._task.topology, self._ends()),
        ]
        apply(setters, self.remotes)
        if self.tunnel:
            self.tunnel.configure()
            # The kernel loads a cipher at its first use. That takes half a second, which no
            # sample should contain.
            self.tunnel.bring_up()
        return self._task.probes

    def count(self) -> Sequence[str]:
        return at_once(counters.read_host, self.remotes.values())

    def check_carried(
        self, name: str, probe: Probe, carried: Carried, *counts: Mapping[str, str]
    ) -> list[Check]:
        """Compare with the inbound SA of the gateway before the receiver; without IPsec, with the
        receiver's interface."""
        tunnel, topology = self._wanted, self._task.topology
        host = tunnel.gateway_before(carried.receiver, topology) if tunnel else carried.receiver
        where = f"{name}: {host}"
        first, last = (counters.split_kinds(texts[host]) for texts in counts)
        if self.tunnel:
            return self.tunnel.check_carried(where, carried, first, last)
        interface = self._place(host, next(iter(topology.links_of(host)))).interface
        return check_by_link(where, carried, interface, first[counters.LINKS], last[counters.LINKS])

    def prove(self, keep: Callable[[str, bytes], None]) -> Iterable[Check]:
        settings = self._task.settings
        probes = self._task.probes.values()
        carried = any(not probe.controls_tunnel for probe in probes)
        may_leak = any(probe.may_leak for probe in probes)
        own = self.tunnel.own_state if self.tunnel else ""
        bare = not isinstance(self._wanted, IpsecTunnel)
        provers = [
            *(self.tunnel.provers(carried, may_leak, settings.cpus) if self.tunnel else ()),
            *no_ipsec_provers(self.remotes if bare else ()),
            *receiving.receiving_provers(settings.steering, settings.gro, self._links()),
            *receiving.reassembly_provers(self.remotes, self._families),
            *shaping_provers(self._shaping()),
            *unchanged_provers({host: self._set_on(host) for host in self.remotes}, own),
            *self._boot_provers,
        ]
        yield from prove(provers, self.remotes, keep)
        yield from self._prove_here(keep)

    def facts_after(self) -> Mapping[str, dict[str, Any]]:
        return facts.facts_after(self.remotes)

    def clean_up(self) -> list[str]:
        bare = shaping_setters(dict.fromkeys(self._shaping()))
        uncounted = clear_text_no_more(self._ends())
        again = merging_again(self._links() if self._task.settings.gro is not None else ())
        setters = [*bare, *uncounted, *again]
        steps: list[Callable[[], object]] = [lambda: apply(setters, self.remotes)]
        if self.tunnel:
            steps.append(self.tunnel.stop)
        failed = []
        for step in steps:
            try:
                step()
            except CommandFailed as error:
                failed.append(f"cleaning up: {error}")
        return failed

    def _set_on(self, host: str) -> str:
        """Regular expression of the lines of a host's state that have a proof of their own."""
        shaped = (place.interface for place in self._shaping() if place.host == host)
        gro = rf"offload \S+ {receiving.GRO}:" if self._task.settings.gro is not None else "(?!)"
        sysctls = (f"/proc/sys/{receiving.SYSCTLS[family]}:" for family in self._families)
        return "|".join([gro, *sysctls, *(f"qdisc .* dev {re.escape(name)} " for name in shaped)])

    def _shaping(self) -> dict[Place, Shaping | None]:
        """The shaping of each interface that the cell shapes; None for interfaces that must be
        bare, because another cell shapes them or the tunnel leaves by them."""
        tunnel = self._wanted
        ends = [f"{end}.{tunnel.link_of(end)}" for end in tunnel.gateways] if tunnel else []
        wanted = (
            dict.fromkeys([*ends, *self._task.scenario.shaped_places]) | self._task.settings.shaping
        )
        return {self._place(*place.split(".")): shaping for place, shaping in wanted.items()}

    def _ends(self) -> dict[str, str]:
        """gateway -> its interface to the link of the tunnel; empty without a tunnel."""
        return self.tunnel.interfaces if self.tunnel else {}

    def _links(self) -> list[Place]:
        return [
            self._place(role, link)
            for role in self.remotes
            for link in self._task.topology.links_of(role)
        ]

    def _place(self, role: str, link: str) -> Place:
        family = self._task.topology.family_on(link)
        return Place(role, link, self.remotes[role].host.interfaces[link], family)


class BorrowedMachines(BlockHosts):
    """Borrowed machines."""

    def __init__(self, testbed: Inventory, topology: Topology, needs: Needs):
        self._borrowed, self._needs = Borrowed(testbed, topology), needs
        self._remotes: Mapping[str, Remote] = {}
        self._cpus: dict[str, int] = {}

    def require(self, wanted: set[Wanted]) -> None:
        remotes = self._borrowed.look()
        require_ready(remotes, self._needs)
        self._cpus = {remote.name: int(remote.run("nproc")) for remote in remotes.values()}
        require_one(self.why_not, wanted)

    def why_not(self, wanted: Wanted) -> str | None:
        if wanted.boots:
            return "borrowed machines are not booted; use a lab"
        if wanted.topology is not None:
            return "borrowed machines keep their addresses for a block; use a lab or virtual time"
        if wanted.instructions is not None and wanted.instructions.without:
            return "which instructions a kernel uses is decided when it boots; use a lab"
        cpus = wanted.cpus
        other = {name: has for name, has in self._cpus.items() if cpus not in (None, has)}
        if not other:
            return None
        found = ", ".join(f"{name} has {has}" for name, has in other.items())
        return f"the scenario needs {cpus} processors per host; {found}"

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> LinuxDriver:
        return LinuxDriver(task, remotes)

    def __enter__(self) -> Self:
        self._remotes = self._borrowed.__enter__()
        return self

    def session(self, wanted: Wanted) -> Session:
        return self._session

    @cached_property
    def _session(self) -> Session:
        hosts = facts_of(self._remotes, self._needs.tools)
        guests = {"backend": "ssh", "accelerator": "none", **NATURES["machines"]}
        remember(self._remotes.values())
        return Session(self._remotes, {"guests": guests, "hosts": hosts})

    def __exit__(self, error_type: object, error: BaseException | None, _: object) -> None:
        """Raises UserError naming machines that are not as they were, and `error` with them."""
        try:
            self._borrowed.__exit__()
        except UserError as lost:
            raise lost if error is None else UserError(f"{error}; {lost}") from error

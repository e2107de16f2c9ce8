"""Windows as an OtherSystem of remeasure.bench.measure.hosts: the machines of an inventory, and the
missing parts of one of them. Addresses, routes and speeds are set by the owner (docs/windows.md)
and are not changed. A trial makes rules and sets whose names begin with `remeasure-`, one folder,
and processes started from it. Every script of a trial is a step of its Plan, so a dry run prints
exactly a trial's scripts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from remeasure.bench.base.checks import Check
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.family import Interface
from remeasure.bench.base.topology import Topology
from remeasure.bench.campaign.plan import Task
from remeasure.bench.ipsec.agreement import Carried, check_by_link
from remeasure.bench.ipsec.overhead import IPV4_HEADER, UDP, packet_on_wire
from remeasure.bench.ipsec.proof import check_no_ipsec
from remeasure.bench.ipsec.tunnel import Control
from remeasure.bench.measure.block_hosts import BlockHosts, Session
from remeasure.bench.probes.base import Probe
from remeasure.bench.testbed.host_kind import NATURES
from remeasure.bench.testbed.inventory import Host, Inventory, machine_of
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.treatments.instructions import Wanted
from remeasure.bench.testbed.watching import counters
from remeasure.bench.testbed.watching.readiness import ReadinessFinding
from remeasure_windows import interfaces, readiness
from remeasure_windows.flows import WindowsDitg, on_windows
from remeasure_windows.plan import Plan, Step
from remeasure_windows.powershell import WindowsRemote
from remeasure_windows.readiness import host_facts
from remeasure_windows.state import State, check_link, check_tunnel
from remeasure_windows.suites import require_ipv4

Keep = Callable[[str, bytes], None]


class WindowsDriver:
    """Sets up Windows hosts for one trial, asks them, and cleans up. It is also the Control of the
    cell's tunnel."""

    def __init__(self, task: Task, remotes: Mapping[str, WindowsRemote]):
        self.remotes = remotes
        self.tunnel: Control | None = None
        self._task = task
        self._hosts = {role: remote.host for role, remote in remotes.items()}
        self._begun = False

    def set_up(self) -> Mapping[str, WindowsDitg]:
        """Give hosts the settings of the cell. Raises UserError, before hosts are touched, if
        Windows hosts cannot measure the cell."""
        plan, probes = self._plan, on_windows(self._task.probes)
        self._begun = True
        self._run(plan.begin())
        if plan.ends:
            self.tunnel = self
            self.configure()
            self.bring_up()
        else:
            self._run(plan.clear())
        return probes

    @cached_property
    def _plan(self) -> Plan:
        return Plan(self._task.settings, self._task.topology, self._hosts)

    def configure(self) -> None:
        """Remove existing rules and SAs, and give both gateways their rules."""
        self._run(self._plan.clear())
        self._run(self._plan.set_up())

    def bring_up(self) -> None:
        """Send a packet, which makes the gateways negotiate SAs, and wait for its answer."""
        self._run([self._plan.reach()])

    def count(self) -> Sequence[str]:
        return self._run(self._plan.count())

    def check_carried(
        self, name: str, probe: Probe, carried: Carried, *counts: Mapping[str, str]
    ) -> list[Check]:
        """Compare with the interface on which a gateway receives the packets of its tunnel, since
        Windows shows no counters of an SA; the number of bytes shows the headers that the suite
        adds."""
        tunnel, topology = self._task.settings.tunnel, self._task.topology
        host = tunnel.gateway_before(carried.receiver, topology) if tunnel else carried.receiver
        link = tunnel.link_of(host) if tunnel else next(iter(topology.links_of(host)))
        if isinstance(probe, WindowsDitg) and (payload := probe.datagram):
            size = packet_on_wire(tunnel, payload + UDP + IPV4_HEADER)
            carried = carried._replace(least_bytes=carried.least_packets * size)
        first, last = (counters.split_kinds(texts[host])[counters.LINKS] for texts in counts)
        interface = self._hosts[host].interfaces[link]
        return check_by_link(f"{name}: {host}", carried, interface, first, last)

    def prove(self, keep: Keep) -> Iterable[Check]:
        plan = self._plan
        for role, text in self._asked(plan.state(), "ipsec", keep).items():
            state = self._state(role, text)
            if role in plan.ends:
                yield from check_tunnel(plan.ends[role], state, plan.tool(role).NAME)
            else:
                yield from check_no_ipsec(role, state.summary)
        links = self._asked(plan.links(), "links", keep)
        for place, shaping in self._task.settings.shaping.items():
            host, link = place.split(".")
            if shaping.rate_bits:
                found = interfaces.read_look(links[host])
                name = self._hosts[host].interfaces[link]
                yield check_link(place, shaping.rate_bits, found.get(name))

    def _asked(self, steps: list[Step], kind: str, keep: Keep) -> dict[str, str]:
        """Run the steps, and keep their answers. Returns them by role."""
        roles = [step.role for step in steps]
        answers = dict(zip(roles, self._run(steps), strict=True))
        for role, text in answers.items():
            keep(f"proof.{role}.{kind}.txt", text.encode())
        return answers

    def _state(self, role: str, text: str) -> State:
        try:
            state: State = self._plan.tool(role).read_state(text)
        except (ValueError, KeyError) as error:
            raise UserError(f"{role}: state of IPsec: {error}") from None
        return state

    def facts_after(self) -> Mapping[str, dict[str, Any]]:
        return {}

    def clean_up(self) -> list[str]:
        """On every host, whatever failed on another; then look whether all is removed."""
        if not self._begun:
            return []
        failed: list[str] = []
        lost: dict[str, HostUnreachable] = {}

        def run(step: Step) -> None:
            try:
                text = self.remotes[step.role].run(step.text, timeout=step.timeout)
                if text and (left := ", ".join(self._state(step.role, text).ours)):
                    raise UserError(
                        f"{step.role}: found {left}, expected nothing that remeasure made"
                    )
            except HostUnreachable as error:
                lost[step.role] = error
            except UserError as error:
                failed.append(f"cleaning up: {error}")

        plan = self._plan
        for steps in (plan.clear(), plan.end(), plan.state()):
            at_once(run, [step for step in steps if step.role not in lost])
        for error in lost.values():
            raise error
        return sorted(failed)

    def _run(self, steps: list[Step]) -> list[str]:
        """Run scripts on their hosts, all at once; only scripts that need the secret get it."""

        def run(step: Step) -> str:
            secret = self._task.credentials.secret("psk") if step.secret else ""
            return self.remotes[step.role].run(step.text, timeout=step.timeout, secret=secret)

        return at_once(run, steps)


class WindowsMachines(BlockHosts):
    """Windows machines."""

    def __init__(self, testbed: Inventory, topology: Topology):
        require_ipv4(topology)
        self._topology = topology
        self._remotes = {
            role: WindowsRemote(machine_of(testbed, topology, role)) for role in topology.hosts
        }

    def require(self, wanted: set[Wanted]) -> None:
        readiness.require_ready(self._remotes, self._topology)

    def why_not(self, wanted: Wanted) -> str | None:
        if wanted.cpus is not None:
            return (
                f"the scenario needs {wanted.cpus} processors per host; the number of a Windows "
                "machine cannot be changed"
            )
        if wanted.topology is not None:
            return "Windows machines keep their addresses"
        if wanted.instructions is not None and wanted.instructions.without:
            return "which instructions Windows uses for ciphers cannot be chosen"
        return None

    def driver(self, task: Task, remotes: Mapping[str, Remote]) -> WindowsDriver:
        return WindowsDriver(task, {role: self._remotes[role] for role in remotes})

    def __enter__(self) -> Self:
        at_once(WindowsRemote.connect, self._remotes.values())
        return self

    def session(self, wanted: Wanted) -> Session:
        return self._session

    @cached_property
    def _session(self) -> Session:
        hosts = {role: host_facts(remote) for role, remote in self._remotes.items()}
        guests = {"backend": "ssh", "accelerator": "none", **NATURES["machines"]}
        return Session(self._remotes, {"guests": guests, "hosts": hosts})

    def __exit__(self, *_: object) -> None:
        for remote in self._remotes.values():
            remote.close()


make_hosts = WindowsMachines


def check_host(host: Host, links: Mapping[str, Interface]) -> list[ReadinessFinding]:
    """Present, missing and wrong things on a host."""
    return readiness.check_host(WindowsRemote(host), links)

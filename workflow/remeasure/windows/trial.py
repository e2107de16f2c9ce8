"""One trial on Windows hosts: the same record as that of Linux hosts."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

from remeasure.campaign.scenario import Cell, Scenario
from remeasure.errors import UserError
from remeasure.ipsec.agreement import Carried, check_by_link
from remeasure.ipsec.overhead import IPV4, UDP, packet_on_wire
from remeasure.ipsec.pki import Credentials
from remeasure.measure.health import LoadMeter
from remeasure.measure.trial import TrialRun
from remeasure.probes.base import Probe
from remeasure.testbed.counters import split_kinds
from remeasure.testbed.remote import CommandFailed, HostUnreachable, at_once
from remeasure.windows import interfaces, proof
from remeasure.windows.control import WindowsTunnel
from remeasure.windows.flows import on_windows
from remeasure.windows.plan import Plan, Step, prepared
from remeasure.windows.remote import WindowsRemote
from remeasure.windows.state import State
from remeasure.windows.tools import TOOLS


class WindowsTrial(TrialRun):
    """The bench of Linux's trial, with what Windows hosts are asked instead."""

    remotes: Mapping[str, WindowsRemote]

    def __init__(
        self,
        scenario: Scenario,
        cell: Cell,
        folder: Path,
        remotes: Mapping[str, WindowsRemote],
        credentials: Credentials,
        seed: int,
        probes: Mapping[str, Probe],
        meter: Callable[[], LoadMeter] = LoadMeter,
    ):
        self._credentials = credentials
        self._hosts = {role: remote.host for role, remote in remotes.items()}
        self._plan: Plan | None = None
        super().__init__(scenario, cell, folder, remotes, credentials, seed, probes, meter)

    def _control(self, credentials: Credentials) -> None:
        """A cell that Windows cannot measure is a rejected trial, so the tunnel waits for
        `_set_up`."""

    def _set_up(self) -> None:
        self._plan = Plan(self.settings, self.topology, self._hosts)
        self.probes = on_windows(self.probes, self._hosts)
        self._all(self._plan.begin())
        if self._plan.ends:
            self.tunnel = WindowsTunnel(self._plan, self._credentials, self._all)
            self.tunnel.configure()
            self.tunnel.bring_up()
        else:
            self._all(self._plan.clear())
        self._all(prepared(self.probes, self._hosts))

    def _read_counters(self) -> list[str]:
        return self._all(self._plan.count())

    def _check_carried(self, name: str, carried: Carried) -> None:
        """By the interface on which a gateway receives what its tunnel carries; its bytes show the
        headers that the suite adds."""
        tunnel = self.settings.tunnel
        host = self._gateway_of(carried.receiver) if tunnel else carried.receiver
        link = tunnel.link if tunnel else next(iter(self.topology.links_of(host)))
        if payload := self.probes[name].datagram:
            size = packet_on_wire(tunnel, payload + UDP + IPV4)
            carried = dataclasses.replace(carried, least_bytes=carried.least_packets * size)
        before, after = (
            split_kinds((self.folder / c["file"]).read_text())
            for c in self.counters[-2 * len(self.remotes) :]
            if c["host"] == host
        )
        self.checks += check_by_link(
            f"{name}: {host}",
            carried,
            self._hosts[host].interfaces[link],
            before["link.json"],
            after["link.json"],
        )

    def _prove(self) -> None:
        self._current = {}
        plan = self._plan
        for step, text in self._asked(plan.state(), "ipsec"):
            host = self._hosts[step.role]
            state = self._state(step.role, text)
            if step.role in plan.ends:
                self.checks += proof.check_tunnel(
                    plan.ends[step.role], state, TOOLS[host.windows.ipsec].NAME
                )
            else:
                self.checks += proof.check_no_ipsec(step.role, state)
        for step, text in self._asked(plan.links(), "links"):
            found = interfaces.read_look(text)
            for place, shaping in self.settings.shaping.items():
                role, link = place.split(".")
                if role == step.role and shaping.rate:
                    name = self._hosts[role].interfaces[link]
                    self.checks += proof.check_link(place, shaping, found.get(name))

    def _asked(self, steps: list[Step], kind: str) -> list[tuple[Step, str]]:
        """What hosts answer, kept."""
        texts = self._all(steps)
        for step, text in zip(steps, texts, strict=True):
            (self.folder / f"proof.{step.role}.{kind}.txt").write_text(text)
        return list(zip(steps, texts, strict=True))

    def _state(self, role: str, text: str) -> State:
        try:
            return TOOLS[self._hosts[role].windows.ipsec].read_state(text)
        except (ValueError, KeyError) as error:
            raise UserError(f"{role}: state of IPsec: {error}") from None

    def _clean_up(self, reasons: list[str]) -> None:
        """On every host, whatever failed on another; then look that nothing of ours is left."""
        plan = self._plan
        if plan is None:  # nothing was begun
            return
        lost: dict[str, HostUnreachable] = {}
        for steps in (plan.clear(), plan.end(), plan.state()):
            steps = [step for step in steps if step.role not in lost]
            for step, text in zip(steps, at_once(self._tried, steps), strict=True):
                if isinstance(text, HostUnreachable):
                    lost[step.role] = text
                elif isinstance(text, CommandFailed):
                    reasons.append(f"cleaning up: {text}")
                elif text and (left := self._left(step.role, text)):
                    reasons.append(
                        f"cleaning up: {step.role}: found {', '.join(left)}, expected "
                        "nothing of ours"
                    )
        for error in lost.values():
            raise error

    def _tried(self, step: Step) -> str | UserError:
        try:
            return self.remotes[step.role].run(step.text, timeout=step.timeout)
        except (CommandFailed, HostUnreachable) as error:
            return error

    def _left(self, role: str, text: str) -> list[str]:
        try:
            return self._state(role, text).ours
        except UserError as error:
            return [str(error)]

    def _all(self, steps: list[Step], secret: str = "") -> list[str]:
        """Scripts on their hosts, all at once."""
        return at_once(
            lambda step: self.remotes[step.role].run(
                step.text, timeout=step.timeout, secret=secret if step.secret else ""
            ),
            steps,
        )

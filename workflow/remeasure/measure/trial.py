"""One trial: shape links, bring the tunnel up, run the probes, prove the treatment, clean up."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from remeasure.campaign.scenario import Cell, Scenario
from remeasure.checks import Check
from remeasure.errors import UserError
from remeasure.ipsec import proof
from remeasure.ipsec.agreement import Carried, check_by_link, check_by_sa, check_by_sas
from remeasure.ipsec.control import TunnelControl
from remeasure.ipsec.per_cpu import check_per_cpu
from remeasure.ipsec.pki import Credentials
from remeasure.measure.health import LoadMeter
from remeasure.probes.base import Probe
from remeasure.testbed import steering
from remeasure.testbed.counters import read_host, split_kinds
from remeasure.testbed.path_caches import forget
from remeasure.testbed.remote import Command, CommandFailed, HostUnreachable, Remote, at_once
from remeasure.testbed.shaping import apply_shaping


class TrialRun:
    """The bench that the probes of one trial work on, and the record of what happened."""

    def __init__(
        self,
        scenario: Scenario,
        cell: Cell,
        folder: Path,
        remotes: Mapping[str, Remote],
        credentials: Credentials,
        seed: int,
        probes: Mapping[str, Probe],
        meter: Callable[[], LoadMeter] = LoadMeter,
    ):
        """`probes` are those of the cell, in the order of this trial; `seed` is the campaign's;
        `meter` says how undisturbed the trial was."""
        self.topology = scenario.topology
        self.seed = seed
        self.settings = scenario.settings(cell)
        self.probes = probes
        self._meter = meter
        self._shaped = scenario.shaped_places
        self.folder = folder
        self.remotes = remotes
        self.tunnel = self._control(credentials)
        self.logs: list[dict] = []
        self.counters: list[dict] = []
        self.checks: list[Check] = []
        self.commands: list[Command] = []
        self._current: dict = {}

    def _control(self, credentials: Credentials) -> TunnelControl | None:
        """Of the cell's tunnel, if it has one."""
        tunnel = self.settings.tunnel
        return tunnel and TunnelControl(tunnel, self.topology, self.remotes, credentials)

    def save(self, log: str, content: str | bytes) -> None:
        (self.folder / log).write_bytes(content.encode() if isinstance(content, str) else content)
        self.logs.append({"file": log, **self._current})

    def run(self, on_probe: Callable[[str, float], None]) -> dict:
        """Do it all. `on_probe(name, seconds)` is called before each repeat with the name of the
        probe and what it will roughly take. Returns the record but for its place in a block.

        Raises HostUnreachable; everything else that goes wrong is a reason for rejection.
        """
        for remote in self.remotes.values():
            remote.on_command = self.commands.append
        start, meter = time.time_ns(), self._meter()
        reasons, probe_ns = [], 0
        try:
            self._set_up()
            probe_ns = self._run_probes(on_probe)
            self._prove()
        except HostUnreachable:
            raise
        except UserError as error:
            reasons.append(str(error))
        except (ValueError, LookupError, ArithmeticError, StopIteration) as error:
            # Output of a tool that is not as it should be, where no parser foresaw it.
            reasons.append(f"{type(error).__name__}: {error}")
        finally:
            self._clean_up(reasons)
        reasons += [str(check) for check in self.checks if not check.passed]
        health = meter.read()
        doubts = meter.doubts(health)
        return {
            "verdict": "rejected" if reasons else "suspect" if doubts else "accepted",
            "reasons": reasons or doubts,
            "start_ns": start,
            "end_ns": time.time_ns(),
            "probe_ns": probe_ns,
            "health": health,
            "checks": [asdict(check) for check in self.checks],
            "logs": self.logs,
            "counters": self.counters,
            "commands": [command.as_dict() for command in self.commands],
        }

    def _set_up(self) -> None:
        at_once(forget, self.remotes.values())
        self._shape(self._places())
        for role, interface in self._steered():
            steering.apply_steering(self.remotes[role], interface, self.settings.steering)
        if self.tunnel:
            self.tunnel.configure()
            # The kernel loads a cipher at its first use, half a second that no sample should hold.
            self.tunnel.bring_up()
        prepared = {
            (probe.kind, *(getattr(probe, field) for field in probe.prepared_by)): probe
            for probe in self.probes.values()
        }
        for probe in prepared.values():
            probe.prepare(self)

    def _run_probes(self, on_probe) -> int:
        spent, tunnel_used, first = 0, True, True
        for name, probe in self.probes.items():
            probes_tunnel = probe.controls_tunnel
            if tunnel_used and not probes_tunnel:
                self._fresh_tunnel(restart=not first)
            tunnel_used, first = probes_tunnel, False
            for repeat in range(1, probe.repeats + 1):
                on_probe(name, probe.seconds())
                first_log = len(self.logs)
                self._current = {"name": name, "probe": probe.kind, "repeat": repeat}
                if probe.levels:
                    self._current |= {"name": name.split(".")[0], "levels": probe.levels}
                begin = time.time_ns()
                probe.measure(self, f"{name}-{repeat:02d}")
                spent += time.time_ns() - begin
                if not probes_tunnel:
                    self._count(self._current)
                if probe.verifies:
                    probe.verify(self, f"{name}-{repeat:02d}")
                self._check(name, probe, self.logs[first_log:])
                if probe.verifies and not probes_tunnel:
                    self._count(self._current | {"repeat": 0})
        return spent

    def _fresh_tunnel(self, restart: bool) -> None:
        """A tunnel as new: its counters start from nothing; `restart` the daemons too."""
        if self.tunnel:
            if restart:
                self.tunnel.configure()
            self.tunnel.bring_up()
        self._count({"name": "start", "repeat": 0})

    def _count(self, after: dict) -> None:
        """What every host has counted so far, all at once: an idle host is cheap to ask, but not
        one after the other."""
        number = len({entry["number"] for entry in self.counters})
        texts = self._read_counters()
        for host, text in zip(self.remotes, texts, strict=True):
            file = f"counters-{number:02d}.{host}.txt"
            (self.folder / file).write_text(text)
            self.counters.append(
                {
                    "file": file,
                    "host": host,
                    "kind": "all",
                    "number": number,
                    "after": after["name"],
                    "repeat": after["repeat"],
                    "levels": after.get("levels", {}),
                }
            )

    def _read_counters(self) -> list[str]:
        """Of every host, in the order of `remotes`."""
        return at_once(read_host, self.remotes.values())

    def _check(self, name: str, probe: Probe, logs: list[dict]) -> None:
        """The logs of one repeat: each by itself, with each other, and with the counters."""
        observations = []
        for entry in logs:
            content = (self.folder / entry["file"]).read_bytes()
            probe.require_complete(entry["file"], content)
            observations += probe.parse(entry["file"], content)
        self.checks += probe.agree(name, observations, self.settings.tunnel)
        carried = None if probe.controls_tunnel else probe.carried(observations)
        if carried is not None:
            self._check_carried(name, carried)

    def _check_carried(self, name: str, carried: Carried) -> None:
        host = self._gateway_of(carried.receiver) if self.tunnel else carried.receiver
        before, after = (
            split_kinds((self.folder / c["file"]).read_text())
            for c in self.counters[-2 * len(self.remotes) :]
            if c["host"] == host
        )
        where = f"{name}: {host}"
        if self.tunnel:
            check = check_by_sa if self.settings.tunnel.per_cpu == "no" else check_by_sas
            self.checks += check(where, carried, before["xfrm-state.txt"], after["xfrm-state.txt"])
        else:
            link = next(iter(self.topology.links_of(host)))
            self.checks += check_by_link(
                where,
                carried,
                self.remotes[host].host.interfaces[link],
                before["link.json"],
                after["link.json"],
            )

    def _gateway_of(self, host: str) -> str:
        tunnel = self.settings.tunnel
        for gateway in tunnel.gateways:
            if host == gateway or host in self.topology.links.get(tunnel.protects.get(gateway), {}):
                return gateway
        raise UserError(f"no gateway of the tunnel protects host {host}")

    def _prove(self) -> None:
        self._current = {}
        tunnel = self.settings.tunnel
        for gateway in tunnel.gateways if tunnel else []:
            texts = {
                log: self._proof(f"proof.{gateway}.{log}", gateway, command)
                for log, command in proof.COMMANDS.items()
            }
            self.checks += (
                proof.check_tunnel(tunnel, gateway, *texts.values(), used=bool(self.counters))
                if tunnel.per_cpu == "no"
                else check_per_cpu(tunnel, gateway, *texts.values(), self.settings.cpus)
            )
        for host in [] if tunnel else self.remotes:
            text = self._proof(f"proof.{host}.no-ipsec.txt", host, ["sh", "-c", proof.NO_IPSEC])
            self.checks += proof.check_no_ipsec(host, text)
        if tunnel:
            log = self.tunnel.read_log()
            (self.folder / f"proof.{tunnel.initiator}.charon.log").write_bytes(log)
            self.checks += proof.check_authentication(tunnel, log.decode())
        for role, interface in self._steered():
            text = self._proof(
                f"proof.{role}.steering.txt", role, ["sh", "-c", steering.READ.format(interface)]
            )
            self.checks += steering.check_steering(role, self.settings.steering, text)
        for place in self._places():
            role, interface = place.split(".")[0], self._interface(place)[1]
            text = self._proof(
                f"proof.{place}.qdisc.json",
                role,
                ["tc", "-j", "-s", "qdisc", "show", "dev", interface],
            )
            self.checks += proof.check_shaping(place, self.settings.shaping.get(place), text)

    def _proof(self, file: str, host: str, command: list[str]) -> str:
        text = self.remotes[host].run(command)
        (self.folder / file).write_text(text)
        return text

    def _places(self) -> dict:
        """Interfaces to shape: those named, and those that must be bare because another cell shapes
        them, or because the tunnel leaves by them."""
        tunnel = self.settings.tunnel
        ends = [f"{gateway}.{tunnel.link}" for gateway in tunnel.gateways] if tunnel else []
        return dict.fromkeys([*ends, *self._shaped]) | self.settings.shaping

    def _shape(self, places: dict) -> None:
        at_once(lambda place: apply_shaping(*self._interface(place), places[place]), places)

    def _steered(self) -> list[tuple[str, str]]:
        """role and interface, of all links, where the cell says how they hand on what they
        receive."""
        return [
            (role, remote.host.interfaces[link])
            for role, remote in self.remotes.items()
            for link in self.topology.links_of(role)
            if self.settings.steering
        ]

    def _interface(self, place: str) -> tuple[Remote, str]:
        host, link = place.split(".")
        return self.remotes[host], self.remotes[host].host.interfaces[link]

    def _clean_up(self, reasons: list[str]) -> None:
        """Leave the hosts as they were; a failure here is a reason too, not a second error."""
        steps = [lambda: self._shape(dict.fromkeys(self._places()))]
        if self.tunnel:
            steps.append(self.tunnel.stop)
        for step in steps:
            try:
                step()
            except CommandFailed as error:
                reasons.append(f"cleaning up: {error}")


def not_run(reason: str) -> dict:
    """The record of a trial that cannot be, as `TrialRun.run` returns those that can."""
    now = time.time_ns()
    return {
        "verdict": "rejected",
        "reasons": [reason],
        "start_ns": now,
        "end_ns": now + 1,
        "probe_ns": 0,
        "health": {"busy": 0.0, "steal": 0.0, "foreign": 0.0},
        "checks": [],
        "logs": [],
        "counters": [],
        "commands": [],
    }

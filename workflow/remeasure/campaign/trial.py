"""One trial: shape links, bring the tunnel up, run the probes, prove the treatment, clean up."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from remeasure.campaign.health import LoadMeter
from remeasure.campaign.scenario import Cell, Scenario
from remeasure.errors import UserError
from remeasure.ipsec import proof
from remeasure.ipsec.agreement import GATEWAY_COUNTERS, HOST_COUNTERS, check_carried
from remeasure.ipsec.control import TunnelControl
from remeasure.ipsec.pki import Credentials
from remeasure.testbed.remote import Command, CommandFailed, HostUnreachable, Remote
from remeasure.testbed.shaping import apply_shaping


class TrialRun:
    """The bench that the probes of one trial work on, and the record of what happened."""

    def __init__(self, scenario: Scenario, cell: Cell, folder: Path, remotes: Mapping[str, Remote],
                 credentials: Credentials):
        self.topology = scenario.topology
        self.settings = scenario.settings(cell)
        self.folder = folder
        self.remotes = remotes
        tunnel = self.settings.tunnel
        self.tunnel = tunnel and TunnelControl(tunnel, self.topology, remotes, credentials)
        self.logs: list[dict] = []
        self.counters: list[dict] = []
        self.checks: list[proof.Check] = []
        self.commands: list[Command] = []
        self._current: dict = {}

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
        start, meter = time.time_ns(), LoadMeter()
        reasons, probe_ns = [], 0
        try:
            self._set_up()
            probe_ns = self._run_probes(on_probe)
            self._prove()
        except HostUnreachable:
            raise
        except (UserError, ValueError) as error:  # ValueError: output that cannot be read
            reasons.append(str(error))
        finally:
            self._clean_up(reasons)
        reasons += [str(check) for check in self.checks if not check.passed]
        health = meter.read()
        doubts = meter.doubts(health)
        return {
            "verdict": "rejected" if reasons else "suspect" if doubts else "accepted",
            "reasons": reasons or doubts,
            "start_ns": start, "end_ns": time.time_ns(), "probe_ns": probe_ns,
            "health": health,
            "checks": [asdict(check) for check in self.checks],
            "logs": self.logs, "counters": self.counters,
            "commands": [command.as_dict() for command in self.commands],
        }

    def _set_up(self) -> None:
        for place, shaping in self._places().items():
            apply_shaping(*self._interface(place), shaping)
        if self.tunnel:
            self.tunnel.configure()
            # The kernel loads a cipher at its first use, half a second that no sample should hold.
            self.tunnel.bring_up()
        for probe in self.settings.probes.values():
            probe.prepare(self)

    def _run_probes(self, on_probe) -> int:
        spent, tunnel_used = 0, True
        for name, probe in self.settings.probes.items():
            probes_tunnel = probe.controls_tunnel
            if tunnel_used and not probes_tunnel:
                self._fresh_tunnel()
            tunnel_used = probes_tunnel
            for repeat in range(1, probe.repeats + 1):
                on_probe(name, probe.seconds())
                first_log = len(self.logs)
                self._current = {"name": name, "probe": probe.kind, "repeat": repeat}
                begin = time.time_ns()
                probe.measure(self, f"{name}-{repeat:02d}")
                spent += time.time_ns() - begin
                for entry in self.logs[first_log:]:
                    probe.check(entry["file"], (self.folder / entry["file"]).read_bytes())
                if not probes_tunnel and self.tunnel:
                    self._count(name, repeat)
                    self._agree(name, probe, self.logs[first_log:])
        return spent

    def _fresh_tunnel(self) -> None:
        """A tunnel as new: its counters start from nothing."""
        if self.tunnel:
            self.tunnel.configure()
            self.tunnel.bring_up()
            self._count("start", 0)

    def _count(self, name: str, repeat: int) -> None:
        """What every host has counted so far: SAs and interfaces, drops, datagrams."""
        number = len({entry["number"] for entry in self.counters})
        for host, remote in self.remotes.items():
            gateway = host in self.settings.tunnel.gateways
            for log, command in (GATEWAY_COUNTERS if gateway else HOST_COUNTERS).items():
                file = f"counters-{number:02d}.{host}.{log}"
                (self.folder / file).write_text(remote.run(command))
                self.counters.append({"file": file, "host": host, "kind": log, "number": number,
                                      "after": name, "repeat": repeat})

    def _agree(self, name: str, probe, logs: list[dict]) -> None:
        carried = probe.carried(
            [o for entry in logs
             for o in probe.parse(entry["file"], (self.folder / entry["file"]).read_bytes())])
        if carried:
            gateway = self._gateway_of(carried.receiver)
            states = [(self.folder / c["file"]).read_text() for c in self.counters
                      if c["host"] == gateway and c["kind"] == "xfrm-state.txt"]
            self.checks += check_carried(f"{name}: {gateway}", carried, states[-2], states[-1])

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
            texts = {log: self._proof(f"proof.{gateway}.{log}", gateway, command)
                     for log, command in proof.COMMANDS.items()}
            self.checks += proof.check_tunnel(tunnel, gateway, *texts.values(),
                                              used=bool(self.counters))
        if tunnel:
            log = self.tunnel.read_log()
            (self.folder / f"proof.{tunnel.initiator}.charon.log").write_bytes(log)
            self.checks += proof.check_authentication(tunnel, log.decode())
        for place in self._places():
            role, interface = place.split(".")[0], self._interface(place)[1]
            text = self._proof(f"proof.{place}.qdisc.json", role,
                               ["tc", "-j", "-s", "qdisc", "show", "dev", interface])
            self.checks += proof.check_shaping(place, self.settings.shaping.get(place), text)

    def _proof(self, file: str, host: str, command: list[str]) -> str:
        text = self.remotes[host].run(command)
        (self.folder / file).write_text(text)
        return text

    def _places(self) -> dict:
        """Interfaces to shape: those named, and the tunnel's own, which must be bare otherwise."""
        tunnel = self.settings.tunnel
        bare = {f"{gateway}.{tunnel.link}": None for gateway in tunnel.gateways} if tunnel else {}
        return bare | self.settings.shaping

    def _interface(self, place: str) -> tuple[Remote, str]:
        host, link = place.split(".")
        return self.remotes[host], self.remotes[host].host.interfaces[link]

    def _clean_up(self, reasons: list[str]) -> None:
        """Leave the hosts as they were; a failure here is a reason too, not a second error."""
        try:
            for place in self._places():
                apply_shaping(*self._interface(place), None)
            if self.tunnel:
                self.tunnel.stop()
        except CommandFailed as error:
            reasons.append(f"cleaning up: {error}")

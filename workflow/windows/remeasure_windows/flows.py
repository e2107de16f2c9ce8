"""The probe that Windows hosts can run, as scripts; its logs are parsed like logs of Linux hosts.
D-ITG's programs for Windows have the names and options of the programs for Linux (D-ITG manual,
sections 3 and 5)."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.probes.base import Bench, Probe
from remeasure.bench.probes.ditg import Ditg
from remeasure.bench.probes.readers.ditg_log import INTERVAL_MS
from remeasure.bench.testbed.inventory import Host
from remeasure_windows.plan import Plan, Step, path
from remeasure_windows.powershell import quote, read, script

_LOG, _SERIES = "ditg.log", "ditg.series"


class WindowsDitg(Ditg):
    """A flow of D-ITG between Windows hosts. Its log is decoded at once."""

    verifies: ClassVar = False

    @property
    def datagram(self) -> int | None:
        """Payload of each UDP datagram [B]; None for TCP."""
        return self.payload if self.transport == "udp" else None

    def preparation(self, hosts: Mapping[str, Host]) -> Step:
        work = hosts[self.receiver].windows_settings.work
        command = quote(f'"{path(work, "ITGRecv.exe")}"')
        serve = read("serve", command=command, folder=quote(work))
        return Step(self.receiver, script("start ITGRecv", serve))

    def steps(self, hosts: Mapping[str, Host], topology: Topology) -> list[Step]:
        options = self.options(topology.address(self.receiver), _LOG)
        work = hosts[self.sender].windows_settings.work
        send = run(work, "ITGSend.exe", options, "itgsend.out", "&1", self.duration + 20)
        work, limit = hosts[self.receiver].windows_settings.work, self.decode_limit
        log, series = quote(path(work, _LOG)), quote(path(work, _SERIES))
        decode = f"{_LOG} -v -c {INTERVAL_MS} {_SERIES}"
        decoded = script(
            "decode a flow",
            read("closed", log=log),
            run(work, "ITGDec.exe", decode, "itgdec.out", "itgdec.err", limit),
            f"Get-Content {quote(path(work, 'itgdec.out'))}",
            "'--- series ---'",
            f"Get-Content {series}",
            f"Remove-Item {log}, {series}",
        )
        return [
            Step(self.sender, script("send a flow", send), self.duration + 40),
            Step(self.receiver, decoded, limit + 20),
        ]

    def prepare(self, bench: Bench) -> None:
        _do(bench, self.preparation(_hosts(bench)))

    def measure(self, bench: Bench, stem: str) -> None:
        send, decode = self.steps(_hosts(bench), bench.topology)
        _do(bench, send)
        self.save_decoded(bench, stem, _do(bench, decode))

    def finish(self, bench: Bench) -> None:
        """Each run waited for ITGSend."""


def on_windows(probes: Mapping[str, Probe]) -> dict[str, WindowsDitg]:
    """The probes of a cell, as Windows hosts run them, in their order. Raises UserError naming a
    probe that they cannot run."""
    found = {}
    for name, probe in probes.items():
        if not isinstance(probe, Ditg):
            raise UserError(f"probes.{name}: found {probe.kind}, expected ditg on Windows hosts")
        found[name] = WindowsDitg(**dict(probe))
    return found


def all_steps(plan: Plan, probes: Mapping[str, WindowsDitg]) -> Iterator[tuple[str, Step]]:
    """(title, step) of a whole trial with these probes, in order; each server starts once."""
    servers = [probe.preparation(plan.hosts) for probe in probes.values()]
    stages = {
        "before": [*plan.begin(), *plan.clear()],
        "tunnel": [*plan.set_up(), plan.reach()] if plan.ends else [],
        "servers": [*dict.fromkeys(servers)],
        "counters, before and after each flow": plan.count(),
        **{f"probe {name}": one.steps(plan.hosts, plan.topology) for name, one in probes.items()},
        "proof": [*plan.state(), *plan.links()],
        "clean up": [*plan.clear(), *plan.end(), *plan.state()],
    }
    return ((title, step) for title, steps in stages.items() for step in steps)


def run(work: str, program: str, options: str, output: str, errors: str, limit: float) -> str:
    """A script that runs a program in the work folder to its end, for at most `limit` seconds. Its
    output goes to a file there, and so do its errors; `&1`: to the same one."""
    # cmd.exe removes the outer quotes (cmd /?).
    line = f'/d /c ""{path(work, program)}" {options} >{output} 2>{errors}"'
    return read(
        "run",
        arguments=quote(line),
        folder=quote(work),
        milliseconds=round(limit * 1000),
        name=program,
        program=quote(path(work, program)),
        said=quote(path(work, output if errors == "&1" else errors)),
    )


def _hosts(bench: Bench) -> dict[str, Host]:
    return {role: remote.host for role, remote in bench.remotes.items()}


def _do(bench: Bench, step: Step) -> str:
    return bench.remotes[step.role].run(step.text, timeout=step.timeout)

"""The probes that Windows hosts can run, as scripts; their logs are parsed like logs of Linux
hosts.

D-ITG's programs for Windows have the names and options of the programs for Linux (D-ITG manual,
sections 3 and 5). If a host has no D-ITG, its inventory may say `flows: iperf3`. That is another
tool; its logs and the column `tool` of the tables say so. It reports goodput, and for UDP jitter
and loss, but no one-way delay. Flows that a cell has in both directions to compare clocks are
therefore left out, and questions about delays stay unanswered.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import ClassVar

from pydantic import ValidationError

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology
from remeasure.bench.ipsec.agreement import FRAGMENT, SEGMENT, Carried
from remeasure.bench.ipsec.overhead import UDP
from remeasure.bench.probes.base import Bench, Probe
from remeasure.bench.probes.ditg import Ditg
from remeasure.bench.probes.iperf3 import PORT, Iperf3
from remeasure.bench.probes.metrics import Observation
from remeasure.bench.probes.readers.ditg_log import INTERVAL_MS
from remeasure.bench.testbed.inventory import Host, WindowsSettings
from remeasure_windows.plan import Step
from remeasure_windows.powershell import quote, script
from remeasure_windows.work import path

_LOG, _SERIES = "ditg.log", "ditg.series"
_SIGNALLING = 9000
"""port on which ITGRecv listens for requests of ITGSend to receive a flow (D-ITG manual, section
3)"""

# WMI starts the program, since the SSH server may end the programs of a session with the session.
_SERVE = """\
function Test-Listening {{
    $all = [Net.NetworkInformation.IPGlobalProperties]::GetIPGlobalProperties()
    @($all.GetActiveTcpListeners() | Where-Object {{ $_.Port -eq {port} }}).Count -gt 0
}}
if (Test-Listening) {{ throw 'port {port} is in use by another program' }}
$made = ([wmiclass]'Win32_Process').Create({command}, {folder})
if ($made.ReturnValue -ne 0) {{ throw "{program} does not start: $($made.ReturnValue)" }}
for ($n = 0; -not (Test-Listening); $n++) {{
    if ($n -gt 100) {{ throw '{program} does not listen on port {port}' }}
    Start-Sleep -Milliseconds 50
}}"""
# cmd.exe writes both outputs to files unchanged; PowerShell would re-encode them.
_RUN = """\
$start = New-Object Diagnostics.ProcessStartInfo
$start.FileName = $env:ComSpec
$start.Arguments = {arguments}
$start.WorkingDirectory = {folder}
$start.UseShellExecute = $false
$process = [Diagnostics.Process]::Start($start)
if (-not $process.WaitForExit({milliseconds})) {{
    Get-WmiObject Win32_Process | Where-Object {{
        $_.ExecutablePath -and $_.ExecutablePath -eq {program}
    }} | ForEach-Object {{ $null = $_.Terminate() }}
    throw '{name} does not end'
}}
if ($process.ExitCode -ne 0) {{
    throw "{name}: exit $($process.ExitCode): $((Get-Content {said}) -join ' ')"
}}"""
# ITGRecv has finished a log when no process has the log open.
_CLOSED = """\
for ($n = 0; $true; $n++) {{
    try {{
        [IO.File]::Open({log}, 'Open', 'Read', 'None').Close()
        break
    }} catch {{
        if ($n -gt 100) {{ throw ('ITGRecv does not finish: ' + $_.Exception.Message) }}
        Start-Sleep -Milliseconds 50
    }}
}}"""


class WindowsDitg(Ditg):
    """A flow of D-ITG between Windows hosts. Its log is decoded at once."""

    verifies: ClassVar = False

    @property
    def datagram(self) -> int | None:
        """Payload of each UDP datagram [B]; None for TCP."""
        return self.payload if self.transport == "udp" else None

    def preparation(self, hosts: Mapping[str, Host]) -> Step:
        work = hosts[self.receiver].windows_settings
        return Step(
            self.receiver, script("start ITGRecv", serve(work, "ITGRecv.exe", "", _SIGNALLING))
        )

    def steps(self, hosts: Mapping[str, Host], topology: Topology) -> list[Step]:
        sender, receiver = (
            hosts[self.sender].windows_settings,
            hosts[self.receiver].windows_settings,
        )
        options = self.options(topology.address(self.receiver), _LOG)
        send = run(sender, "ITGSend.exe", options, "itgsend.out", self.duration + 20)
        log, series = path(receiver.work, _LOG), path(receiver.work, _SERIES)
        limit = self.decode_limit
        return [
            Step(self.sender, script("send a flow", send), self.duration + 40),
            Step(
                self.receiver,
                script(
                    "decode a flow",
                    _CLOSED.format(log=quote(log)),
                    run(
                        receiver,
                        "ITGDec.exe",
                        f"{_LOG} -v -c {INTERVAL_MS} {_SERIES}",
                        "itgdec.out",
                        limit,
                        errors="itgdec.err",
                    ),
                    f"Get-Content {quote(path(receiver.work, 'itgdec.out'))}",
                    "'--- series ---'",
                    f"Get-Content {quote(series)}",
                    f"Remove-Item {quote(log)}, {quote(series)}",
                ),
                limit + 20,
            ),
        ]

    def prepare(self, bench: Bench) -> None:
        _do(bench, self.preparation(_hosts(bench)))

    def measure(self, bench: Bench, stem: str) -> None:
        send, decode = self.steps(_hosts(bench), bench.topology)
        _do(bench, send)
        self.save_decoded(bench, stem, _do(bench, decode))

    def finish(self, bench: Bench) -> None:
        """Each run waited for ITGSend."""


class WindowsIperf3(Iperf3):
    """A flow of iperf3 between Windows hosts."""

    @property
    def datagram(self) -> int | None:
        """Payload of each UDP datagram [B]; None for TCP."""
        return self.length if self.protocol == "udp" else None

    def carried(self, observations: list[Observation]) -> Carried | None:
        """As for D-ITG: a long datagram travels in parts, and each small write may be a packet."""
        found = super().carried(observations)
        if found is None or self.length is None:  # iperf3 fills its packets
            return found
        parts = (
            math.ceil((self.length + UDP) / FRAGMENT)
            if self.datagram
            else max(1, SEGMENT / self.length)
        )
        return dataclasses.replace(found, most_packets=int(found.most_packets * parts))

    def preparation(self, hosts: Mapping[str, Host]) -> Step:
        work = hosts[self.server].windows_settings
        return Step(
            self.server,
            script("start iperf3", serve(work, "iperf3.exe", f" --server --port {PORT}", PORT)),
        )

    def steps(self, hosts: Mapping[str, Host], topology: Topology) -> list[Step]:
        work = hosts[self.client].windows_settings
        options = " ".join(self.options(topology.address(self.server)))
        out = path(work.work, "iperf3.json")
        return [
            Step(
                self.client,
                script(
                    "send a flow",
                    run(work, "iperf3.exe", options, "iperf3.json", self.duration + 20),
                    f"Get-Content {quote(out)}",
                ),
                self.duration + 40,
            )
        ]

    def prepare(self, bench: Bench) -> None:
        _do(bench, self.preparation(_hosts(bench)))

    def measure(self, bench: Bench, stem: str) -> None:
        (flow,) = self.steps(_hosts(bench), bench.topology)
        bench.save(f"{stem}.json", _do(bench, flow))


WindowsProbe = WindowsDitg | WindowsIperf3


def on_windows(probes: Mapping[str, Probe], hosts: Mapping[str, Host]) -> dict[str, WindowsProbe]:
    """The probes of a cell, as Windows hosts run them, in their order.

    Raises UserError naming a probe that they cannot run.
    """
    without = "iperf3" in {host.windows_settings.flows for host in hosts.values()}
    found: dict[str, WindowsProbe] = {}
    for name, probe in probes.items():
        if isinstance(probe, Ditg) and not without:
            found[name] = WindowsDitg(**dict(probe))
        elif isinstance(probe, Ditg):
            if not _compares_clocks(probe, probes):
                found[name] = _instead(name, probe)
        elif isinstance(probe, Iperf3):
            found[name] = WindowsIperf3(**dict(probe))
        else:
            raise UserError(
                f"probes.{name}: found {probe.kind}, expected ditg or iperf3 on Windows hosts"
            )
    return found


def _compares_clocks(flow: Ditg, probes: Mapping[str, Probe]) -> bool:
    """True if a cell has this flow in both directions: the difference of their delays shows how far
    the clocks of the two hosts are apart."""
    back = flow.model_copy(update={"sender": flow.receiver, "receiver": flow.sender})
    return back in probes.values()


def _instead(name: str, flow: Ditg) -> WindowsIperf3:
    """The iperf3 flow with the same payload and rate, for a whole number of seconds, the only
    durations that iperf3 accepts. Raises UserError."""
    bits = flow.packets_per_second * flow.payload * 8
    try:
        return WindowsIperf3(
            client=flow.sender,
            server=flow.receiver,
            protocol=flow.transport,
            direction="up",
            duration=max(1, math.ceil(flow.duration)),
            rate=f"{bits:.0f}",
            length=flow.payload,
            repeats=flow.repeats,
            levels=flow.levels,
        )
    except ValidationError as error:
        raise UserError(f"probes.{name}: {error.errors()[0]['msg']}") from None


def serve(host: WindowsSettings, program: str, options: str, port: int) -> str:
    """A script that starts a program in the background, and waits until the program listens."""
    command = f'"{path(host.work, program)}"{options}'
    return _SERVE.format(
        command=quote(command), folder=quote(host.work), program=program, port=port
    )


def run(
    host: WindowsSettings,
    program: str,
    options: str,
    output: str,
    limit: float,
    errors: str | None = None,
) -> str:
    """A script that runs a program to its end, for at most `limit` seconds. The output goes to a
    file in the work folder, and so do errors, unless `errors` names another file."""
    # cmd.exe removes the outer quotes (cmd /?).
    line = f'/d /c ""{path(host.work, program)}" {options} >{output} 2>{errors or "&1"}"'
    return _RUN.format(
        arguments=quote(line),
        folder=quote(host.work),
        milliseconds=round(limit * 1000),
        name=program,
        program=quote(path(host.work, program)),
        said=quote(path(host.work, errors or output)),
    )


def _hosts(bench: Bench) -> dict[str, Host]:
    return {role: remote.host for role, remote in bench.remotes.items()}


def _do(bench: Bench, step: Step) -> str:
    return bench.remotes[step.role].run(step.text, timeout=step.timeout)

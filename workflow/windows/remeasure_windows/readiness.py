"""Whether Windows hosts can measure: present, missing and wrong things. Changes nothing."""

from collections import defaultdict
from collections.abc import Callable, Mapping

from remeasure.bench.base.family import Interface
from remeasure.bench.base.topology import Topology
from remeasure.bench.probes.ditg import Ditg
from remeasure.bench.testbed.inventory import WindowsSettings
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.remote import CommandFailed, at_once
from remeasure.bench.testbed.watching.readiness import Finding, clock_finding, require
from remeasure_windows import interfaces
from remeasure_windows.interfaces import Connection
from remeasure_windows.plan import TOOLS
from remeasure_windows.powershell import quote, script
from remeasure_windows.remote import WindowsRemote
from remeasure_windows.suites import TOOL_NAMES
from remeasure_windows.work import path

TOOL = "d-itg"
_DECODER = "ITGDec.exe"
"""the program that prints the version"""

_LOOK = """\
$me = [Security.Principal.WindowsIdentity]::GetCurrent()
$administrator = [Security.Principal.WindowsBuiltInRole]::Administrator
"user`t" + $me.Name
"administrator`t" + (New-Object Security.Principal.WindowsPrincipal($me)).IsInRole($administrator)
"powershell`t" + $PSVersionTable.PSVersion
"ssh`t" + $env:SSH_CONNECTION
"forwarding`t" + (Get-ItemProperty `
    'HKLM:\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters').IPEnableRouter"""
# With the preference Stop, any error output of a program would end the script.
_PROGRAM = """\
if ({there}) {{
    $said = @(& {{ $ErrorActionPreference = 'Continue'; & {program} -h 2>&1 }})
    "tool`t{tool}`t" + $said[0]
}}"""


def look(host: WindowsSettings) -> str:
    """A script that prints the user, the SSH connection and the installed tools; it changes
    nothing."""
    return script("look", _LOOK, f'"ipsec`t" + ({TOOLS[host.ipsec].AVAILABLE})', version(host))


def version(host: WindowsSettings) -> str:
    """Lines of a script that print 'tool<tab>d-itg<tab>version' if all programs of D-ITG are
    there."""
    there = " -and ".join(
        f"(Test-Path -LiteralPath {quote(path(host.tools, name))})"
        for name in (_DECODER, "ITGSend.exe", "ITGRecv.exe")
    )
    return _PROGRAM.format(there=there, tool=TOOL, program=quote(path(host.tools, _DECODER)))


def check_host(
    remote: WindowsRemote, links: Mapping[str, Interface] | None = None
) -> list[Finding]:
    """Check one host: connection, privileges, tools, network connections, clock. `links`: link ->
    address that the topology gives the host on it."""
    host = remote.host

    def finding(what: str, good: bool, detail: str = "", bad: str = "missing") -> Finding:
        return Finding(remote.name, what, "present" if good else bad, detail)

    links = links or {}
    names = [host.interfaces[link] for link in links] if links else list(host.interfaces.values())
    try:
        lines = remote.run(look(host.windows_settings)).splitlines()
        found = defaultdict(str, (line.rstrip().partition("\t")[::2] for line in lines))
        connections = interfaces.read_look(remote.run(interfaces.look(names)))
        offset, error = remote.clock_offset()
    except HostUnreachable as problem:
        return [Finding(remote.name, "connection", "missing", str(problem))]
    except (CommandFailed, ValueError) as problem:
        return [Finding(remote.name, "connection", "wrong", str(problem))]
    user = f"{found['user']}; needs an elevated administrator"
    findings = [
        finding("connection", True, f"{host.user}@{host.address}:{host.port}"),
        finding("privileges", found["administrator"] == "True", user, "wrong"),
        finding("PowerShell", bool(found["powershell"]), found["powershell"]),
        finding("IPsec", found["ipsec"] == "True", TOOL_NAMES[host.windows_settings.ipsec]),
        _of_flows(finding, host.windows_settings, found),
    ]
    if len(links) > 1:
        forwards = found["forwarding"]
        says = f"IPEnableRouter {forwards or 'not set'}"
        findings.append(finding("forwarding", forwards == "1", says, "wrong"))
    ssh = (found["ssh"].split() + [""] * 3)[2]
    findings += [
        _of_connection(finding, link, name, connections.get(name), links.get(link), ssh)
        for link, name in host.interfaces.items()
        if name in names
    ]
    return [*findings, clock_finding(remote.name, offset, error)]


def _of_flows(
    finding: Callable[..., Finding], settings: WindowsSettings, found: Mapping[str, str]
) -> Finding:
    """Whether D-ITG is there, in a version that is known."""
    _, _, said = found["tool"].partition("\t")
    complaint = Ditg.tools[TOOL].complaint(said) if said else ""
    return finding(
        f"tool {TOOL}",
        bool(said) and not complaint,
        complaint or said or f"not all of it in {settings.tools}",
        "wrong" if complaint else "missing",
    )


def require_ready(remotes: Mapping[str, WindowsRemote], topology: Topology) -> None:
    """Check all hosts. Raises UserError naming everything that prevents measuring."""
    found = at_once(lambda item: check_host(item[1], topology.links_of(item[0])), remotes.items())
    require(finding for host in found for finding in host)


def _of_connection(
    finding: Callable[..., Finding],
    link: str,
    name: str,
    found: Connection | None,
    wanted: Interface | None,
    ssh: str,
) -> Finding:
    what = f"interface {link}"
    if found is None:
        return finding(what, False, f"no connection {name}")
    addresses = ", ".join(map(str, found.addresses)) or "no address"
    if ssh and ssh in [str(address.ip) for address in found.addresses]:
        return finding(
            what, False, f"{name} carries the SSH connection; it is not touched", "wrong"
        )
    if not found.up:
        return finding(what, False, f"{name} is not up", "wrong")
    if wanted is not None and wanted not in found.addresses:
        return finding(what, False, f"{name} has {addresses}, expected {wanted}", "wrong")
    return finding(what, True, f"{name}, {addresses}, {found.speed / 1e6:g} Mbit/s")

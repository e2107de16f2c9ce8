"""Whether Windows hosts can measure: present, missing and wrong things; and facts about a host,
every possible cause of a number measured on it. Changes nothing.

WMI classes Win32_OperatingSystem, Win32_Processor; the registry's class of network adapters, whose
values are the standardized INF keywords (`*LsoV2IPv4`, `*IPsecOffloadV2`, ...); powercfg.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from remeasure.bench.base.family import Interface
from remeasure.bench.base.topology import Topology
from remeasure.bench.probes.ditg import Ditg
from remeasure.bench.testbed.inventory import Host, WindowsSettings
from remeasure.bench.testbed.login import HostUnreachable
from remeasure.bench.testbed.remote import CommandFailed, at_once
from remeasure.bench.testbed.watching.readiness import ReadinessFinding, clock_finding, require
from remeasure_windows import interfaces
from remeasure_windows.interfaces import Connection
from remeasure_windows.plan import TOOLS, path
from remeasure_windows.powershell import WindowsRemote, array, quote, read, script
from remeasure_windows.suites import TOOL_NAMES

TOOL = "d-itg"
_DECODER = "ITGDec.exe"
"""the program that prints the version"""


def look(host: WindowsSettings) -> str:
    """A script that prints the user, the SSH connection and the installed tools; it changes
    nothing."""
    return script(
        "look", read("look"), f'"ipsec`t" + ({TOOLS[host.ipsec].AVAILABLE})', version(host)
    )


def version(host: WindowsSettings) -> str:
    """Lines of a script that print 'tool<tab>d-itg<tab>version' if all programs of D-ITG are
    there."""
    there = " -and ".join(
        f"(Test-Path -LiteralPath {quote(path(host.tools, name))})"
        for name in (_DECODER, "ITGSend.exe", "ITGRecv.exe")
    )
    return read("version", there=there, tool=TOOL, program=quote(path(host.tools, _DECODER)))


def check_host(
    remote: WindowsRemote, links: Mapping[str, Interface] | None = None
) -> list[ReadinessFinding]:
    """Check one host: connection, privileges, tools, network connections, clock. `links`: link ->
    address that the topology gives the host on it."""
    host, links = remote.host, links or {}
    used = {link: host.interfaces[link] for link in links or host.interfaces}
    try:
        lines = remote.run(look(host.windows_settings)).splitlines()
        found = defaultdict(str, (line.rstrip().partition("\t")[::2] for line in lines))
        connections = interfaces.read_look(remote.run(interfaces.look(used.values())))
        offset, error = remote.clock_offset()
    except HostUnreachable as problem:
        return [ReadinessFinding(remote.name, "connection", "missing", str(problem))]
    except (CommandFailed, ValueError) as problem:
        return [ReadinessFinding(remote.name, "connection", "wrong", str(problem))]
    user = f"{found['user']}; needs an elevated administrator"
    elevated = "present" if found["administrator"] == "True" else "wrong"
    has_ipsec = "present" if found["ipsec"] == "True" else "missing"
    powershell = found["powershell"]
    told = [
        ("connection", "present", f"{host.user}@{host.address}:{host.port}"),
        ("privileges", elevated, user),
        ("PowerShell", "present" if powershell else "missing", powershell),
        ("IPsec", has_ipsec, TOOL_NAMES[host.windows_settings.ipsec]),
        (f"tool {TOOL}", *_of_flows(host.windows_settings, found["tool"])),
    ]
    if len(links) > 1:
        forwards = found["forwarding"]
        state = "present" if forwards == "1" else "wrong"
        told.append(("forwarding", state, f"IPEnableRouter {forwards or 'not set'}"))
    ssh = (found["ssh"].split() + [""] * 3)[2]
    for link, name in used.items():
        state, detail = _of_connection(name, connections.get(name), links.get(link), ssh)
        told.append((f"interface {link}", state, detail))
    findings = [ReadinessFinding(remote.name, *one) for one in told]
    return [*findings, clock_finding(remote.name, offset, error)]


def _of_flows(settings: WindowsSettings, tool: str) -> tuple[str, str]:
    """Whether D-ITG is there, in a version that is known: state and detail of the finding."""
    said = tool.partition("\t")[2]
    if not said:
        return "missing", f"not all of it in {settings.tools}"
    complaint = Ditg.tools[TOOL].complaint(said)
    return ("wrong", complaint) if complaint else ("present", said)


def _of_connection(
    name: str, found: Connection | None, wanted: Interface | None, ssh: str
) -> tuple[str, str]:
    """State and detail of the finding; `ssh`: address of the host's end of the SSH connection."""
    if found is None:
        return "missing", f"no connection {name}"
    addresses = ", ".join(map(str, found.addresses)) or "no address"
    if ssh and ssh in [str(address.ip) for address in found.addresses]:
        return "wrong", f"{name} carries the SSH connection; it is not touched"
    if not found.up:
        return "wrong", f"{name} is not up"
    if wanted is not None and wanted not in found.addresses:
        return "wrong", f"{name} has {addresses}, expected {wanted}"
    return "present", f"{name}, {addresses}, {found.speed / 1e6:g} Mbit/s"


def require_ready(remotes: Mapping[str, WindowsRemote], topology: Topology) -> None:
    """Check all hosts. Raises UserError naming everything that prevents measuring."""
    found = at_once(lambda item: check_host(item[1], topology.links_of(item[0])), remotes.items())
    require(finding for host in found for finding in host)


def script_of(host: Host) -> str:
    """A script that prints lines 'fact<tab>value', and for adapters and tools
    'fact<tab>name<tab>value'."""
    adapters = read("adapters", names=array(host.interfaces.values()))
    return script("facts", read("system"), adapters, version(host.windows_settings))


def host_facts(remote: WindowsRemote) -> dict[str, Any]:
    """The facts of testbed.watching.facts.facts_of, as far as Windows gives them, and `drivers`
    (link -> driver). Raises CommandFailed, HostUnreachable."""
    host = remote.host
    links = {name: link for link, name in host.interfaces.items()}
    facts: dict[str, Any] = {"drivers": {}, "tools": {}}
    facts["offloads"] = {link: {} for link in host.interfaces}
    for line in remote.run(script_of(host)).splitlines():
        match line.split("\t"):
            case "offload", name, key, value:
                facts["offloads"][links[name]][key] = value
            case "driver", name, value:
                facts["drivers"][links[name]] = value.strip()
            case "tool", name, value:
                facts["tools"][name] = value.strip()
            case kind, value:
                facts[kind] = value.strip()
    facts["ipsec"] = host.windows_settings.ipsec
    facts["clock_offset_s"], facts["clock_offset_error_s"] = remote.clock_offset()
    return facts

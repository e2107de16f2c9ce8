"""The table that `remeasure check` prints."""

from rich.console import Console
from rich.table import Table

from remeasure.lab import namespace
from remeasure.lab.backends import choose_backend, make_backend
from remeasure.lab.lab import Lab
from remeasure.lab.topology import Topology, load_topology
from remeasure.probes import PROBES
from remeasure.testbed.borrowed import root_of
from remeasure.testbed.check import Finding, check_host
from remeasure.testbed.inventory import Host, Inventory, LabTestbed, load_testbed
from remeasure.testbed.remote import Remote
from remeasure.testbed.shaping import TOOLS as SHAPING_TOOLS
from remeasure.windows import check as windows
from remeasure.windows.remote import WindowsRemote

_MARKS = {"present": "[green]present[/]", "missing": "[red]MISSING[/]", "wrong": "[red]WRONG[/]"}


def report(testbed_name: str, topology_name: str) -> int:
    """Check every host and print one table. Returns 0 if all is present, else 1."""
    testbed = load_testbed(testbed_name)
    if isinstance(testbed, LabTestbed):
        topology = load_topology(topology_name)
        backend = make_backend(choose_backend(testbed, None), testbed.memory_mib)
        namespace.enter()
        with Lab(topology, backend, testbed.testbed) as inventory:
            return _report(inventory, topology)
    return _report(testbed, load_topology(topology_name))


def _report(inventory: Inventory, topology: Topology) -> int:
    tools = SHAPING_TOOLS | {tool: command for probe in PROBES.values()
                             for tool, command in probe.tools.items()}
    hosts = [host for host in inventory.hosts if set(host.roles) & set(topology.hosts)]
    def look_at(host: Host) -> list[Finding]:
        if host.os == "windows":
            role = next(role for role in host.roles if role in topology.hosts)
            return windows.check_host(WindowsRemote(host), topology.links_of(role))
        return check_host(Remote(host, root_of(host)), tools)

    findings = {host.name: {f.what: f for f in look_at(host)} for host in hosts}
    table = Table("", *findings, title=f"testbed {inventory.testbed}")
    for what in dict.fromkeys(what for column in findings.values() for what in column):
        table.add_row(what, *(_cell(column.get(what)) for column in findings.values()))
    Console().print(table)
    return int(any(f.state != "present" for column in findings.values() for f in column.values()))


def _cell(finding: Finding | None) -> str:
    if finding is None:
        return "-"
    return f"{_MARKS[finding.state]} {finding.detail}".rstrip()

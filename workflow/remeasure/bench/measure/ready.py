"""The findings of `remeasure check`, as a table or as JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from remeasure.bench.base.topology import Topology, load_topology
from remeasure.bench.campaign.profiles import profiles
from remeasure.bench.campaign.register import check_claims
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.testbeds import VirtualTestbed, findings_here, load_testbed
from remeasure.bench.measure.hosts import needs_of, needs_of_all
from remeasure.bench.measure.virtual_hosts import VirtualHosts
from remeasure.bench.testbed.borrowing.borrowed import Borrowed
from remeasure.bench.testbed.inventory import Inventory, root_of
from remeasure.bench.testbed.remote import Remote, at_once
from remeasure.bench.testbed.treatments.instructions import ANY
from remeasure.bench.testbed.watching.readiness import Here, Needs, ReadinessFinding, check_host

_MARKS = {"present": "[green]present[/]", "missing": "[red]MISSING[/]", "wrong": "[red]WRONG[/]"}

Findings = Mapping[str, Sequence[ReadinessFinding]]
"""host -> its findings"""
Show = Callable[[str, Findings], int]


def report(
    testbed_name: str, topology_name: str, scenario_name: str | None = None, as_json: bool = False
) -> int:
    """Check every host and print one table: requirements of all scenarios on this topology, or of
    one scenario on its own. Returns 0 if everything is present, else 1. Raises UserError, after the
    table if one could be printed, if the machines of a testbed cannot play the topology or one of
    their interfaces must not be borrowed."""
    testbed, show = load_testbed(testbed_name), partial(_show, as_json)
    if scenario_name is None:
        topology, needs = load_topology(topology_name), needs_of_all()
    else:
        scenario = load_scenario(scenario_name, list(profiles().root)[-1])
        check_claims(scenario)
        topology, needs = scenario.topology, needs_of(scenario)
    if isinstance(testbed, Inventory):
        return _of_machines(testbed, topology, needs, show)
    if isinstance(testbed, VirtualTestbed):
        hosts = VirtualHosts(testbed, topology, needs)
        hosts.require(set())
        with hosts:
            found = {role: check_host(remote, needs) for role, remote in hosts.remotes().items()}
        return show(testbed.name, found)
    here = findings_here(testbed.backend_kind, needs)
    if any(finding.state != "present" for finding in here):
        return show(testbed.name, {Here.name: here})
    backend = testbed.backend_for(ANY)
    backend.enter()
    with Lab(topology, backend, testbed.name) as inventory:
        return _report(inventory, topology, needs, show)


def _of_machines(inventory: Inventory, topology: Topology, needs: Needs, show: Show) -> int:
    """Check machines, and raise whatever `measure` would raise before it changes anything."""
    borrowed = Borrowed(inventory, topology)
    status = _report(inventory, topology, needs, show)
    borrowed.look()
    return status


def _report(inventory: Inventory, topology: Topology, needs: Needs, show: Show) -> int:
    hosts = [host for host in inventory.hosts if set(host.roles) & set(topology.hosts)]
    found = at_once(lambda host: check_host(Remote(host, root_of(host)), needs), hosts)
    return show(inventory.name, dict(zip([host.name for host in hosts], found, strict=True)))


def _show(as_json: bool, testbed: str, findings: Findings) -> int:
    """Print the findings of a testbed. Returns 0 if everything is present, else 1."""
    every = [one for found in findings.values() for one in found]
    if as_json:
        print(json.dumps([vars(one) for one in every]))
    else:
        Console().print(_table(testbed, findings))
    return int(any(one.state != "present" for one in every))


def _table(testbed: str, findings: Findings) -> Table:
    columns = {host: {f.what: f for f in found} for host, found in findings.items()}
    hosts = (Column(host, overflow="fold") for host in columns)
    table = Table(Column("", overflow="fold"), *hosts, title=f"testbed {testbed}")
    for what in dict.fromkeys(what for column in columns.values() for what in column):
        table.add_row(what, *(_cell(column.get(what)) for column in columns.values()))
    return table


def _cell(finding: ReadinessFinding | None) -> str:
    if finding is None:
        return "-"
    # The column's heading has the host already.
    detail = finding.detail.removeprefix(f"host {finding.host} ").removeprefix(f"{finding.host}: ")
    return f"{_MARKS[finding.state]} {escape(detail)}".rstrip()

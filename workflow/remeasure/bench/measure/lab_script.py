"""A script for a lab in virtual time: a network, a tunnel, and requests to hosts one after the
other. The clock stops between the steps, so in a shell nothing would ever go on."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from remeasure.bench.base.config import Strict, load
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.topology import Topology, load_topology
from remeasure.bench.campaign.settings import interfaces_of
from remeasure.bench.ipsec.kinds import KINDS, AnyTunnel
from remeasure.bench.lab.testbeds import VirtualTestbed, load_testbed
from remeasure.bench.lab.virtual.virtual_lab import number_of
from remeasure.bench.measure.virtual_hosts import VirtualHosts
from remeasure.bench.testbed.remote import CommandFailed, Remote
from remeasure.bench.testbed.treatments.disciplines import shaping_setters
from remeasure.bench.testbed.treatments.shaping import Place, Shaping
from remeasure.bench.testbed.treatments.treatment import apply
from remeasure.bench.testbed.watching.readiness import Needs

WAIT = "wait"
"""step that lets time pass"""
_LIMIT_S = 3600
"""longest virtual time that a step may take [s]"""
_SEED = "script"

LabStep = dict[str, str | float]
"""a host and lines for its shell, or WAIT and a time [s]"""


class LabScript(Strict):
    """The contents of a script file."""

    tunnel: AnyTunnel | None = None
    """tunnel that is up before the first step, as in a scenario; null: none"""
    shaping: dict[str, Shaping] = {}
    """<host>.<link> -> shaping, as in a scenario"""
    steps: list[Annotated[LabStep, Field(min_length=1, max_length=1)]] = Field(min_length=1)
    """one host and lines for its shell, or `wait` and a time [s]; in this order"""


def run_script(topology_name: str, testbed_name: str, path: Path) -> None:
    """Run all steps of a script file, and print each with its time and its answer. The same script
    gives the same lines, on any machine. Raises UserError naming the file and the step that
    failed."""
    script, topology = load(LabScript, path), load_topology(topology_name)
    testbed = load_testbed(testbed_name)
    if not isinstance(testbed, VirtualTestbed):
        raise UserError(
            f"testbed {testbed_name}: backend {testbed.backend}: --script is for virtual time; "
            "elsewhere leave it out and type into the shell"
        )
    _check_names(script, topology, path)
    if script.tunnel and script.tunnel.debian_lacks:
        testbed = testbed.model_copy(update={"kernel": "instructions"})
    hosts = VirtualHosts(testbed, topology, Needs())
    hosts.require(set())
    with hosts, tempfile.TemporaryDirectory() as folder:
        remotes = hosts.remotes()
        places: dict[Place, Shaping | None] = {
            _place(name, topology): shaping for name, shaping in script.shaping.items()
        }
        apply(shaping_setters(places, lambda place: number_of(f"{_SEED}/{place}")), remotes)
        if script.tunnel:
            credentials = hosts.credentials(Path(folder), number_of(_SEED))
            control = KINDS[script.tunnel.kind](script.tunnel, topology, remotes, credentials)
            control.configure()
            control.bring_up()
        begin_ns = hosts.now_ns()
        for number, ((what, value),) in enumerate((step.items() for step in script.steps), 1):
            print(f"[{(hosts.now_ns() - begin_ns) / 1e9:.6f} s] {_told(what, value)}")
            for line in _run(what, value, remotes, f"{path}: steps.{number}").splitlines():
                print(f"    {line}")


def _told(what: str, value: str | float) -> str:
    if what == WAIT:
        return f"wait {value:g} s"
    first, *more = str(value).strip().splitlines()
    return f"{what}: {first}{' ...' if more else ''}"


def _run(what: str, value: str | float, remotes: Mapping[str, Remote], where: str) -> str:
    """Output of a step; `where` is the step's name in messages."""
    host = next(iter(remotes)) if what == WAIT else what
    command = f"sleep {value}" if what == WAIT else str(value)
    try:
        return remotes[host].run(command, timeout=_LIMIT_S)
    except CommandFailed as error:
        raise UserError(f"{where}: {error}; end it with || true if it may fail") from None


def _place(name: str, topology: Topology) -> Place:
    host, link = name.split(".")
    return Place(host, link, link, topology.family_on(link))


def _check_names(script: LabScript, topology: Topology, path: Path) -> None:
    for number, ((what, value),) in enumerate((step.items() for step in script.steps), 1):
        if what not in (WAIT, *topology.hosts):
            known = ", ".join([*topology.hosts, WAIT])
            raise UserError(f"{path}: steps.{number}: found {what}, expected one of {known}")
        if (what == WAIT) == isinstance(value, str):
            wanted = "seconds" if what == WAIT else "lines for sh"
            raise UserError(f"{path}: steps.{number}: {what}: found {value!r}, expected {wanted}")
    places = interfaces_of(topology)
    if unknown := [name for name in script.shaping if name not in places]:
        known = ", ".join(sorted(places))
        raise UserError(f"{path}: shaping: found {unknown[0]}, expected one of {known}")
    if script.tunnel and not {*script.tunnel.hosts} <= {*topology.hosts}:
        raise UserError(f"{path}: tunnel: names a host that topology {topology.name} lacks")

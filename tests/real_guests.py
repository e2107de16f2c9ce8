"""Shared by tests of real guests."""

import contextlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import yaml
from projects import Project

INSIDE = Path(__file__).with_name("inside.py")
SMALL = Path(__file__).parent / "measure/small.yaml"


def run_inside(project: Project, function: Callable[..., dict], *arguments: object) -> dict:
    """Run a function of a test module in a process of its own (inside.py), which may enter the
    namespaces of a lab, and return its result."""
    command = (sys.executable, INSIDE, inspect.getfile(function), function.__name__, *arguments)
    status, output = project.run(*map(str, command))
    assert status == 0, output
    return json.loads(output.splitlines()[-1])


def add_small_scenario(project, *probes: str, one_cell: bool = False) -> None:
    """Scenario `small` into a copy of the project, with these of its probes; with all, if none is
    named."""
    document = yaml.safe_load(SMALL.read_text())
    if one_cell:
        document["only"] = {"network": ["plain"]}
    if probes:
        document["probes"] = {name: document["probes"][name] for name in probes}
    project.scenario("small").write_text(yaml.safe_dump(document))


def network_namespaces() -> dict[int, str]:
    """The one that each process of this machine lives in."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found[int(process.name)] = str((process / "ns/net").readlink())
    return found


def lab_namespaces(job: int) -> set[str]:
    """Network namespaces that a job, or its children, have entered: guests live there."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout
    parents = [tuple(map(int, line.split())) for line in listed.splitlines()]
    family, before = {job}, set()
    while family != before:
        before = family
        family = family | {child for child, parent in parents if parent in family}
    spaces = network_namespaces()
    return {spaces[pid] for pid in family if pid in spaces} - {spaces[os.getpid()]}

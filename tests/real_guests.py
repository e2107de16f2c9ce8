"""What tests of real guests share."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

SMALL = Path(__file__).parent / "measure/small.yaml"


def run_inside(project, script: Path, *arguments: str | Path) -> dict:
    """Run a script of tests (inside_*.py), which enters namespaces, and return what it found."""
    status, output = project.run(sys.executable, str(script), *map(str, arguments))
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


def kept(found: dict) -> None:
    """What inside_placement.py finds where all is well."""
    assert found["astray before"] == []
    assert found["astray after"] == []
    assert found["of no guest"] == [], "what runs in the lab's namespaces is proven"
    (moved,) = found["astray then"]
    assert moved["kind"] == "placement" and moved["name"].startswith(found["guest"])
    assert found["put back"] == []
    assert found["ours within"] == found["placement"]["harness"]
    assert found["ours behind"] == found["usable"]


def network_namespaces() -> dict[int, str]:
    """The one that each process of this machine lives in."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found[int(process.name)] = str((process / "ns/net").readlink())
    return found


def lab_namespaces(job: int) -> set[str]:
    """Network namespaces that a job, or what it started, has entered: where its guests live."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout
    parents = [tuple(map(int, line.split())) for line in listed.splitlines()]
    family, before = {job}, set()
    while family != before:
        before = family
        family = family | {child for child, parent in parents if parent in family}
    spaces = network_namespaces()
    return {spaces[pid] for pid in family if pid in spaces} - {spaces[os.getpid()]}

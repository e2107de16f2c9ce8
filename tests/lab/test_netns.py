"""Hosts that are namespaces of the running kernel: measured within a guest, whose kernel has ESP
whatever the kernel of this machine has."""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from real_guests import add_small_scenario, run_inside

from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.placement import PROOF
from remeasure.bench.lab.testbeds import LabTestbed
from remeasure.bench.testbed.remote import Remote
from remeasure.bench.testbed.treatments.instructions import ANY

pytestmark = pytest.mark.lab
BLOCK = "data/raw/x/small/block-01.zip"
MEASURE = "remeasure measure x {} 1 --profile smoke --testbed netns"
PYTHON = (
    "cd /opt/project; PYTHONHOME=/mnt/python LD_LIBRARY_PATH=/mnt/libraries "
    "PYTHONPATH=/mnt/packages:workflow PYTHONDONTWRITEBYTECODE=1 "
    f"/mnt/python/bin/{Path(sys.executable).resolve().name}"
)
COPY = (
    "mkdir -p /opt/project/data && cd /mnt/project && "
    "cp -r $(ls -A | grep -vx data) /opt/project && cp -r data/published /opt/project/data"
)


def measure_inside(project: str) -> dict:
    """Output of a guest that measures scenario `small` between namespaces of its kernel, and its
    remains; its block is fetched into the project. The guest sees this Python and its packages in
    folders of this machine (hostfs)."""
    enter()
    folders = {"python": sys.base_prefix, "packages": sysconfig.get_path("purelib")}
    folders |= {"libraries": copy_libraries(Path(f"{project}-libraries")), "project": project}
    backend = LabTestbed(name="lab", backend="uml", memory_mib=1536).backend_for(ANY)
    with Lab(load_topology("host-to-host"), backend) as lab:
        machine = Remote(lab.host("left"))
        for name, folder in folders.items():
            machine.run(f"mkdir /mnt/{name} && mount -t hostfs none /mnt/{name} -o hostfs={folder}")
        machine.run(COPY)
        command = f"{PYTHON} -m {MEASURE.format('small')} 2>&1; echo status $?"
        said = machine.run(command, check=False, timeout=1500)
        if said.endswith("status 0\n"):
            block = Path(project, BLOCK)
            block.parent.mkdir(parents=True)
            block.write_bytes(machine.read(f"/opt/project/{BLOCK}"))
        left = machine.run("ip -br link; pgrep -a 'charon|sshd|iperf'; ls /run")
    return {"said": said, "left": left}


def copy_libraries(folder: Path) -> Path:
    """Copy the libraries of this Python and its own modules, except for the C library, which is the
    guest's: the image may lack libraries of a distribution's Python."""
    modules = Path(sysconfig.get_path("platstdlib"), "lib-dynload").glob("*.so")
    files = [Path(sys.executable).resolve(), *modules]
    listed = subprocess.run(["ldd", *files], capture_output=True, text=True).stdout
    of_guest = re.compile(r"(lib(c|m|dl|rt|pthread|util|resolv|nsl|crypt)|ld-linux.*)\.so")
    folder.mkdir()
    for library in set(re.findall(r"=> (/\S+)", listed)):
        if not of_guest.match(Path(library).name):
            shutil.copy(library, folder)
    return folder


@pytest.mark.slow
def test_treatments_are_proven_between_namespaces(project):
    add_small_scenario(project, "latency", "udp", one_cell=True)
    found = run_inside(project, measure_inside, project.folder)
    assert found["said"].endswith("status 0\n"), found["said"]
    block = BlockArchive(project.folder / BLOCK)
    (trial,) = block.trials
    # Other tests run at the same time. A guest that waits for its core meanwhile takes that for
    # foreign use, and its trial is suspect.
    assert trial.record["verdict"] != "rejected", trial.record["reasons"]
    (session,) = block.block["sessions"]
    hosts = ("client1", "gw1", "gw2", "client2")
    guests = {"backend": "netns", "accelerator": "none", "cpus": 1, "placement": "shared"}
    guests |= dict.fromkeys(("own_machine", "own_kernel", "emulated", "virtual_clock"), False)
    guests |= {"cores": {host: [0] for host in hosts}, "harness": [0]}
    assert session["guests"] == guests
    proof = block.read(f"{trial.folder}/{PROOF}").decode()
    assert {line.split("\t")[0] for line in proof.splitlines()} == {*hosts, "(harness)"}
    assert not re.search("charon|iperf|our0|link0", found["left"])

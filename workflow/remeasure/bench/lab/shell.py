"""An interactive shell inside a lab."""

import os
import shutil
import subprocess
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import CONFIG
from remeasure.bench.base.topology import load_topology
from remeasure.bench.lab.backends import BACKENDS
from remeasure.bench.lab.lab import Lab
from remeasure.bench.lab.namespace import RUN
from remeasure.bench.lab.testbeds import LabTestbed, VirtualTestbed, load_testbed
from remeasure.bench.testbed.inventory import Inventory
from remeasure.bench.testbed.treatments.instructions import Wanted


def open_shell(
    topology_name: str, testbed_name: str, backend_name: str | None, cpus: int | None
) -> None:
    """Start the lab, print how to reach each host, and run $SHELL until it ends.

    `backend_name` and `cpus` (processors of each host) replace what the testbed says. Raises
    UserError.
    """
    if backend_name not in (None, *BACKENDS):
        raise UserError(f"--backend: found {backend_name!r}, expected one of {', '.join(BACKENDS)}")
    testbed = load_testbed(testbed_name)
    if not isinstance(testbed, LabTestbed):
        what = "machines that run already"
        if isinstance(testbed, VirtualTestbed):
            what = "virtual time, whose clock stops while nothing is asked for (use --script)"
        raise UserError(
            f"testbed {testbed_name}: backend {testbed.backend}: not a lab, but {what}; expected a "
            f"testbed with backend {', '.join(BACKENDS)}"
        )
    topology = load_topology(topology_name)
    if backend_name:
        testbed = testbed.model_copy(update={"backend": backend_name})
    backend = testbed.backend_for(Wanted(cpus))
    backend.enter()
    with Lab(topology, backend, testbed.name) as inventory:
        config = _ssh_config(inventory)
        print(_picture(topology_name))
        for host in inventory.hosts:
            links = ", ".join(f"{link} {a}" for link, a in topology.links_of(host.name).items())
            print(f"  ssh {host.name:<12} {links}")
        print("The lab ends with this shell (exit or Ctrl-D).")
        environment = os.environ | {
            "PATH": f"{_wrappers(config)}:{os.environ['PATH']}",
            "LAB": topology_name,
        }
        shell = os.environ.get("SHELL", "/bin/sh")
        subprocess.run([shell], env=environment)


def _wrappers(config: Path) -> str:
    """Make a folder with commands ssh and scp that know the hosts of the lab. Returns its path."""
    folder = RUN / "bin"
    folder.mkdir()
    for tool in ("ssh", "scp"):
        path = folder / tool
        path.write_text(f'#!/bin/sh\nexec {shutil.which(tool)} -F {config} "$@"\n')
        path.chmod(0o755)
    return str(folder)


def _ssh_config(inventory: Inventory) -> Path:
    known_hosts = RUN / "known_hosts"
    known_hosts.write_text("".join(f"{h.address} {h.host_key}\n" for h in inventory.hosts))
    path = RUN / "ssh_config"
    path.write_text(
        "".join(
            f"Host {h.name}\n  HostName {h.address}\n  User {h.user}\n  IdentityFile {h.key}\n"
            for h in inventory.hosts
        )
        + f"Host *\n  UserKnownHostsFile {known_hosts}\n  StrictHostKeyChecking yes\n"
        "  IdentitiesOnly yes\n"
    )
    return path


def _picture(topology_name: str) -> str:
    text = (CONFIG / "topologies" / f"{topology_name}.yaml").read_text()
    comments = [line for line in text.splitlines() if line.startswith("#")]
    return "\n".join(line[2:] for line in comments if "yaml-language-server" not in line)

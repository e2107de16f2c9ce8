"""An interactive lab."""

import os
import shutil
import subprocess

from remeasure.errors import UserError
from remeasure.lab.backends import backend_for
from remeasure.lab.lab import Lab
from remeasure.lab.namespace import RUN
from remeasure.paths import CONFIG
from remeasure.testbed.inventory import Inventory, LabTestbed, load_testbed
from remeasure.topology import load_topology


def open_shell(
    topology_name: str, testbed_name: str, backend_name: str | None, cpus: int | None
) -> None:
    """Start the lab, say how to reach each host, run $SHELL until it ends. Without a back end it is
    the testbed's."""
    testbed = load_testbed(testbed_name)
    if not isinstance(testbed, LabTestbed):
        raise UserError(
            f"testbed {testbed_name}: backend {testbed.backend}: not a lab; its hosts "
            "are there already"
        )
    topology = load_topology(topology_name)
    if backend_name:
        testbed = testbed.model_copy(update={"backend": backend_name})
    backend = backend_for(testbed, cpus)
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


def _wrappers(config) -> str:
    """A folder with ssh and scp that know the lab's hosts."""
    folder = RUN / "bin"
    folder.mkdir()
    for tool in ("ssh", "scp"):
        path = folder / tool
        path.write_text(f'#!/bin/sh\nexec {shutil.which(tool)} -F {config} "$@"\n')
        path.chmod(0o755)
    return str(folder)


def _ssh_config(inventory: Inventory):
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
    return "\n".join(line[2:] for line in text.splitlines() if line.startswith("#"))

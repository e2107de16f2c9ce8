"""A lab: a topology brought to life, as a testbed that Fabric can reach over SSH; and a shell in
it."""

import os
import select
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_write
from remeasure.bench.base.paths import CONFIG
from remeasure.bench.base.topology import Topology, load_topology
from remeasure.bench.lab.guest import Guest, LabNetwork, NotReady
from remeasure.bench.lab.namespace import RUN
from remeasure.bench.lab.network import control_address, guest_script, require_apart
from remeasure.bench.lab.placement import move_here, place, starting_on, usable_cores
from remeasure.bench.lab.testbeds import BACKENDS, Backend, LabTestbed, VirtualTestbed, load_testbed
from remeasure.bench.testbed.inventory import Host, Inventory
from remeasure.bench.testbed.treatments.instructions import ANY


class Lab:
    """A running guest for every host of a topology, on its cores of this machine. One lab at a
    time, after `namespace.enter()`. While a lab runs, this process keeps to the cores that are left
    for it."""

    _count = 0

    def __init__(self, topology: Topology, backend: Backend, name: str = "lab"):
        require_apart(topology)
        self.topology = topology
        self.backend = backend
        self.name = name
        self.guests: list[Guest] = []
        self._usable = usable_cores()
        self.placement = place(topology, self._usable, backend.cpus, backend.rule)
        self._network: LabNetwork | None = None

    def __enter__(self) -> Inventory:
        try:
            return self._start()
        except NotReady as late:
            print(f"{late}; all guests are started once more", file=sys.stderr)
        return self._start()

    def _start(self) -> Inventory:
        Lab._count += 1
        self._over = False
        folder = RUN / f"{self.name}-{Lab._count}"
        folder.mkdir()
        self._network = network = self.backend.kind.network(self.topology, self.backend.cpus)
        try:
            hosts = self._boot(folder, network)
            move_here(self.placement.harness)
            return Inventory(name=self.name, hosts=hosts)
        except BaseException:
            self.__exit__()
            raise

    def watch(self, on_loss: Callable[[str], None]) -> None:
        """From now on call `on_loss` with the reason, in another thread, as soon as a guest
        ends."""
        guests = {os.pidfd_open(guest.process): guest for guest in self.guests}
        poll = select.poll()
        for descriptor in guests:
            poll.register(descriptor, select.POLLIN)

        def wait() -> None:
            (ended, _), *_ = poll.poll()
            try:
                if not self._over:
                    guests[ended].check_alive()
            except UserError as error:
                on_loss(str(error))
            for descriptor in guests:
                os.close(descriptor)

        threading.Thread(target=wait, daemon=True).start()

    def _boot(self, folder: Path, network: LabNetwork) -> list[Host]:
        user_key = new_key(folder / "id_ed25519")
        hosts = []
        for i, name in enumerate(self.topology.hosts):
            host_key = new_key(folder / f"host_{name}")
            guest = self.backend.make(name, folder / name)
            self.guests.append(guest)
            seed = {
                "network.sh": guest_script(self.topology, name, self.backend.kind.interface),
                "authorized_keys": user_key.with_suffix(".pub").read_text(),
                "ssh_host_ed25519_key": host_key.read_text(),
            }
            with starting_on(self.placement.cores[name], f"guest {name}"):
                guest.start(network.ends[name], seed)
            hosts.append(
                Host(
                    name=name,
                    roles=[name],
                    address=control_address(i),
                    key=user_key,
                    host_key=" ".join(host_key.with_suffix(".pub").read_text().split()[:2]),
                    interfaces={link: link for link in self.topology.links_of(name)},
                    process=guest.process,
                    own_kernel=self.backend.kind.own_kernel,
                )
            )
        for guest, host in zip(self.guests, hosts, strict=True):
            guest.wait_until(partial(_answers, host), self.backend.kind.boot_limit_s)
        return hosts

    def __exit__(self, *_: object) -> None:
        move_here(self._usable)
        self._over = True
        for guest in self.guests:
            guest.stop()
        self.guests.clear()
        if self._network is not None:
            self._network.close()


def _answers(host: Host) -> bool:
    """True if the SSH server of `host` sends its greeting."""
    try:
        with socket.create_connection((host.address, host.port), timeout=1) as connection:
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def new_key(path: Path) -> Path:
    """Write a new private key (Ed25519) to `path`, and its public key next to it, with suffix .pub,
    in the forms of OpenSSH. Returns `path`."""
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    atomic_write(path, private.decode(), 0o600)
    atomic_write(path.with_suffix(".pub"), f"{public.decode()} {path.name}\n")
    return path


def open_shell(topology_name: str, testbed_name: str) -> None:
    """Start the lab, print how to reach each host, and run $SHELL until it ends. Raises
    UserError."""
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
    backend = testbed.backend_for(ANY)
    backend.enter()
    with Lab(topology, backend, testbed.name) as inventory:
        text = (CONFIG / "topologies" / f"{topology_name}.yaml").read_text().splitlines()
        comments = (line[2:] for line in text if line.startswith("#"))
        print("\n".join(line for line in comments if "yaml-language-server" not in line))
        for host in inventory.hosts:
            links = ", ".join(f"{link} {a}" for link, a in topology.links_of(host.name).items())
            print(f"  ssh {host.name:<12} {links}")
        print("The lab ends with this shell (exit or Ctrl-D).", flush=True)
        path = f"{_ssh_commands(inventory)}:{os.environ['PATH']}"
        shell = os.environ.get("SHELL", "/bin/sh")
        subprocess.run([shell], env=os.environ | {"PATH": path, "LAB": topology_name})


def _ssh_commands(inventory: Inventory) -> Path:
    """Make a folder with commands ssh and scp that know the hosts of the lab. Returns its path."""
    folder, known_hosts, config = RUN / "bin", RUN / "known_hosts", RUN / "ssh_config"
    folder.mkdir()
    known_hosts.write_text("".join(f"{h.address} {h.host_key}\n" for h in inventory.hosts))
    config.write_text(
        "".join(
            f"Host {h.name}\n  HostName {h.address}\n  User {h.user}\n  IdentityFile {h.key}\n"
            for h in inventory.hosts
        )
        + f"Host *\n  UserKnownHostsFile {known_hosts}\n  StrictHostKeyChecking yes\n"
        "  IdentitiesOnly yes\n"
    )
    for tool in ("ssh", "scp"):
        path = folder / tool
        path.write_text(f'#!/bin/sh\nexec {shutil.which(tool)} -F {config} "$@"\n')
        path.chmod(0o755)
    return folder

"""A lab: a topology brought to life, as a testbed that Fabric can reach."""

import socket
import subprocess
import time
from pathlib import Path

from remeasure.errors import UserError
from remeasure.lab.backends import Backend
from remeasure.lab.guest import Guest
from remeasure.lab.namespace import RUN
from remeasure.lab.network import Network, control_address, guest_script
from remeasure.lab.veth import VethNetwork
from remeasure.testbed.inventory import Host, Inventory
from remeasure.topology import Topology


class Lab:
    """Guests for every host of a topology. To be used inside `namespace.enter()`, one at a time."""

    _count = 0

    def __init__(self, topology: Topology, backend: Backend, name: str = "lab"):
        self.topology = topology
        self.backend = backend
        self.name = name
        self.guests: list[Guest] = []
        self._network: Network | VethNetwork | None = None

    def __enter__(self) -> Inventory:
        Lab._count += 1
        folder = RUN / f"{self.name}-{Lab._count}"
        folder.mkdir()
        self._network = self.backend.network(self.topology)
        try:
            return Inventory(name=self.name, hosts=self._boot(folder))
        except BaseException:
            self.__exit__()
            raise

    def _boot(self, folder: Path) -> list[Host]:
        user_key = _new_key(folder / "id_ed25519")
        hosts = []
        for i, name in enumerate(self.topology.hosts):
            host_key = _new_key(folder / f"host_{name}")
            guest = self.backend.make(name, folder / name)
            self.guests.append(guest)
            guest.start(
                self._network.ends[name],
                {
                    "network.sh": guest_script(self.topology, name, self.backend.interface),
                    "authorized_keys": user_key.with_suffix(".pub").read_text(),
                    "ssh_host_ed25519_key": host_key.read_text(),
                },
            )
            hosts.append(
                Host(
                    name=name,
                    roles=[name],
                    address=control_address(i),
                    key=user_key,
                    host_key=" ".join(host_key.with_suffix(".pub").read_text().split()[:2]),
                    interfaces={link: link for link in self.topology.links_of(name)},
                    process=guest.process,
                    own_kernel=self.backend.name != "netns",
                )
            )
        for guest, host in zip(self.guests, hosts, strict=True):
            _wait(guest, host, self.backend.boot_limit_s)
        return hosts

    def __exit__(self, *_) -> None:
        for guest in self.guests:
            guest.stop()
        self._network.close()


def _new_key(path: Path) -> Path:
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", path.name, "-f", path], check=True
    )
    return path


def _wait(guest: Guest, host: Host, limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        guest.check_alive()
        try:
            with socket.create_connection((host.address, host.port), timeout=1) as connection:
                if connection.recv(4) == b"SSH-":
                    return
        except OSError:
            time.sleep(0.02)
    raise UserError(f"lab: guest {guest.name} not ready after {limit_s:g} s: {guest.last_words()}")

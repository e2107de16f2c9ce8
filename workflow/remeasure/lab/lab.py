"""A lab: a topology brought to life, as a testbed that Fabric can reach."""

import socket
import subprocess
import time
from pathlib import Path

from remeasure.errors import UserError
from remeasure.lab import network
from remeasure.lab.guest import Guest
from remeasure.lab.image import get_image
from remeasure.lab.namespace import RUN
from remeasure.lab.topology import Topology
from remeasure.testbed.inventory import Host, Inventory

BOOT_LIMIT_S = 60


class Lab:
    """Guests for every host of a topology. To be used inside `namespace.enter()`."""

    def __init__(self, topology: Topology, name: str = "lab", memory_mib: int = 256):
        self.topology = topology
        self.name = name
        self.memory_mib = memory_mib
        self.guests: list[Guest] = []

    def __enter__(self) -> Inventory:
        image = get_image()
        user_key = _new_key(RUN / "id_ed25519")
        ends = network.make_network(self.topology)
        hosts = []
        for i, name in enumerate(self.topology.hosts):
            host_key = _new_key(RUN / f"host_{name}")
            guest = Guest(name, RUN / name)
            guest.start(image, self.memory_mib, ends[name], {
                "network.sh": network.guest_script(self.topology, name),
                "authorized_keys": user_key.with_suffix(".pub").read_text(),
                "ssh_host_ed25519_key": host_key.read_text(),
            })
            self.guests.append(guest)
            hosts.append(Host(
                name=name, roles=[name], address=network.control_address(i), key=user_key,
                host_key=" ".join(host_key.with_suffix(".pub").read_text().split()[:2]),
                interfaces={link: link for link in self.topology.links_of(name)},
                process=guest.process,
            ))
        for guest, host in zip(self.guests, hosts, strict=True):
            _wait(guest, host)
        return Inventory(testbed=self.name, hosts=hosts)

    def __exit__(self, *_) -> None:
        for guest in self.guests:
            guest.stop()


def _new_key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", path.name, "-f", path],
                   check=True)
    return path


def _wait(guest: Guest, host: Host) -> None:
    deadline = time.monotonic() + BOOT_LIMIT_S
    while time.monotonic() < deadline:
        guest.check_alive()
        try:
            with socket.create_connection((host.address, host.port), timeout=1) as connection:
                if connection.recv(4) == b"SSH-":
                    return
        except OSError:
            time.sleep(0.02)
    raise UserError(f"lab: guest {guest.name} not ready after {BOOT_LIMIT_S} s")

"""Full systems that stand for machines of a reader: Debian with systemd, its own sshd, strongSwan
and AppArmor on their units, a firewall, and a user with sudo. Nothing of ours runs in them.

One is a virtual machine of QEMU on Debian's own kernel, whose nftables filter IP. The others are
guests of User Mode Linux, which takes a fifth of the time; its kernel has no such firewall. All
boot the disk that `build` makes.
"""

import io
import subprocess
import tarfile
from dataclasses import replace
from pathlib import Path

from remeasure.bench.base.topology import Topology
from remeasure.bench.lab import qemu
from remeasure.bench.lab.backends import Backend
from remeasure.bench.lab.guest import End, Guest
from remeasure.bench.lab.image import get_image, get_kernel
from remeasure.bench.lab.network import Network, control_address
from remeasure.bench.lab.uml import UmlGuest
from remeasure.bench.testbed.inventory import Host

HERE = Path(__file__).parent
IN_QEMU = ("gw2",)
FIREWALL = """\
flush ruleset
table inet filter {
    chain input {
        type filter hook input priority filter; policy drop;
        iif lo accept
        ct state established,related accept
        tcp dport 22 accept
    }
    chain forward { type filter hook forward priority filter; policy drop; }
}
"""
STRICT = "net.ipv4.conf.all.rp_filter = 1\nnet.ipv4.conf.default.rp_filter = 1\n"
# What each machine's interfaces of the testbed belong to before they are borrowed.
BY_NETWORKD = """\
[Match]
Name=vec1
[Link]
RequiredForOnline=no
[Network]
Address=10.20.30.1/24
[Route]
Destination=10.99.0.0/16
Gateway=10.20.30.254
"""
BY_DHCP = "[Match]\nName={names}\n[Link]\nRequiredForOnline=no\n[Network]\nDHCP=yes\n"
BY_NETWORK_MANAGER = """\
[connection]
id={name}
type=ethernet
interface-name={name}
[ipv4]
method=manual
address1=10.20.{third}.1/24
[ipv6]
method=link-local
"""


def interface(host: str, index: int) -> str:
    """The name that a machine gives an interface: 0 is that by which it is reached."""
    return f"enp0s{16 + index}" if host in IN_QEMU else f"vec{index}"


def inventory_of(hosts: list[Host], topology: Topology) -> dict:
    """The inventory that a reader would write for these machines."""
    return {
        "backend": "ssh",
        "hosts": [
            {
                "name": f"machine-{host.name}",
                "roles": [host.name],
                "address": host.address,
                "user": "tester",
                "sudo": True,
                "key": str(host.key),
                "host_key": host.host_key,
                "interfaces": {
                    link: interface(host.name, i)
                    for i, link in enumerate(topology.links_of(host.name), 1)
                },
            }
            for host in hosts
        ],
    }


class UmlSystem(UmlGuest):
    """A full system in User Mode Linux. `told` is the archive that it unpacks when it boots."""

    def __init__(self, name: str, folder: Path, system: Path, told: dict[str, str]):
        image = get_image()
        super().__init__(name, folder, image.kernel, system / "disk.ext4", 512)
        self._told = told

    def start(self, ends: list[End], seed: dict[str, str]) -> None:
        self._told |= keys_of(seed)
        super().start(ends, {})

    def command(self, ends: list[End]) -> list[str]:
        _write(self.folder / "seed.tar", self._told)
        control, *links = ends
        # Links that end in taps: see TapGuest in testbed/inside_machines.py.
        return [
            *(word for word in super().command([control]) if not word.startswith("init=")),
            "security=apparmor",
            *masked(self.name),
            *(f"vec{i}:transport=tap,ifname={tap},depth=128" for i, tap in enumerate(links, 1)),
        ]


class QemuSystem(qemu.QemuGuest):
    """A full system in QEMU, with the kernel and the initrd of its own Debian."""

    def __init__(
        self,
        name: str,
        folder: Path,
        system: Path,
        told: dict[str, str],
        accelerator: qemu.Accelerator,
    ):
        super().__init__(name, folder, system, system / "disk.ext4", 640, 1, accelerator)
        self._told = told

    def start(self, ends: list[End], seed: dict[str, str]) -> None:
        self._told |= keys_of(seed)
        super().start(ends, {})

    def command(self, ends: list[End]) -> list[str]:
        _write(self.folder / "seed.tar", self._told)
        command = super().command([])
        command[command.index("-append") + 1] = " ".join(
            ["console=ttyS0 root=/dev/vda rw quiet", *masked(self.name)]
        )
        modules = next(i for i, word in enumerate(command) if "modules.ext4" in word)
        del command[modules - 1 : modules + 3]
        for i, end in enumerate(ends):
            _, network, _, device = self._interface(i, end)
            command += ["-netdev", network, "-device", f"{device},addr={16 + i:#x}"]
        return command


def masked(name: str) -> list[str]:
    """Words of the kernel's command line that leave out units that a machine has no use for."""
    unused = [] if name == "gw1" else ["NetworkManager"]
    unused += [] if name in IN_QEMU else ["nftables"]
    return [f"systemd.mask={unit}.service" for unit in unused]


def keys_of(seed: dict[str, str]) -> dict[str, str]:
    """Where a system has the keys that a lab made."""
    return {
        "etc/ssh/ssh_host_ed25519_key": seed["ssh_host_ed25519_key"],
        "home/tester/.ssh/authorized_keys": seed["authorized_keys"],
    }


def files_of(name: str, address: str) -> dict[str, str]:
    """The files that a machine has beside a stock installation."""
    network = "etc/systemd/network"
    control = interface(name, 0)
    files = {
        "etc/hostname": f"{name}\n",
        "etc/hosts": f"127.0.0.1 localhost\n127.0.1.1 {name}\n",
        "etc/nftables.conf": FIREWALL if name in IN_QEMU else "flush ruleset\n",
        "etc/sudoers.d/tester": "tester ALL=(ALL) NOPASSWD: ALL\n",
        "etc/sysctl.d/90-strict.conf": STRICT,
        f"{network}/10-control.network": (
            f"[Match]\nName={control}\n[Network]\nAddress={address}/24\n"
        ),
    }
    if name == "client1":
        files[f"{network}/20-testbed.network"] = BY_NETWORKD
    if name == "gw1":
        files["etc/NetworkManager/conf.d/control.conf"] = (
            f"[keyfile]\nunmanaged-devices=interface-name:{control}\n"
        )
        for third, own in ((31, interface(name, 1)), (32, interface(name, 2))):
            files[f"etc/NetworkManager/system-connections/{own}.nmconnection"] = (
                BY_NETWORK_MANAGER.format(name=own, third=third)
            )
    if name == "gw2":
        files[f"{network}/20-testbed.network"] = BY_DHCP.format(
            names=f"{interface(name, 1)} {interface(name, 2)}"
        )
    return files


def backend(topology: Topology) -> Backend:
    """A back end of full systems; their disk is built if it is missing."""
    image, kernel = get_image(), get_kernel("stock")
    built = subprocess.run([HERE / "build"], stdout=subprocess.PIPE, text=True, check=True)
    system = Path(built.stdout.strip())
    accelerator, _ = qemu.choose_accelerator(kernel, image)

    def make(name: str, folder: Path) -> Guest:
        told = files_of(name, control_address(topology.hosts.index(name)))
        if name in IN_QEMU:
            return QemuSystem(name, folder, system, told, accelerator)
        return UmlSystem(name, folder, system, told)

    kind = replace(
        qemu.KIND, network=lambda topology, cpus: Network(topology, queues=1), boot_limit_s=400
    )
    return Backend(kind, 1, make, accelerator, "wandering")


def _write(path: Path, files: dict[str, str]) -> None:
    private = ("etc/ssh/", "etc/NetworkManager/system-connections", "etc/sudoers")
    with tarfile.open(path, "w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.mode = 0o600 if name.startswith(private) else 0o644
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))

"""Back end qemu: a guest is a virtual machine of QEMU that runs Debian's own kernel. With KVM a
guest runs at the machine's speed. Without KVM QEMU translates every instruction (TCG): it works
like a real host, but its speed shows nothing of a real host."""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from remeasure.bench.base.errors import UserError
from remeasure.bench.base.files import atomic_write
from remeasure.bench.base.paths import CACHE
from remeasure.bench.lab.guest import BackendKind, ImageGuest, LinkEnd, Make
from remeasure.bench.lab.image import Image, get_image, get_kernel
from remeasure.bench.lab.network import Network
from remeasure.bench.testbed.treatments.instructions import Wanted

QEMU = "qemu-system-x86_64"
PROBE_LIMIT_S = 20
Accelerator = Literal["kvm", "tcg"]
_TCG = "tcg,thread=single"
"""With a thread per processor, QEMU before 8.1 now and then runs an instruction that another
processor has since replaced: the guest's kernel meets its own breakpoint (Oops: int3), and one boot
in some 150 ends there. One thread is no slower if guests have the machine's two cores."""


@dataclass(eq=False)
class QemuGuest(ImageGuest):
    """A guest of QEMU; `kernel` is the folder that `env/guest/kernel/build stock` makes."""

    cpus: int
    accelerator: Accelerator

    def command(self, ends: list[LinkEnd]) -> list[str]:
        kvm = self.accelerator == "kvm"
        # With snapshot=on, the guest writes to an anonymous file in TMPDIR. Guests of User Mode
        # Linux lock the same disk for reading, which QEMU takes for a writer.
        disks = [
            (self.disk, "snapshot=on,file.locking=off"),
            (self.folder / "seed.tar", "readonly=on"),
            (self.kernel / "modules.ext4", "readonly=on"),
        ]
        options = (
            f"-nodefaults -no-user-config -no-reboot -M q35 -accel {'kvm' if kvm else _TCG} "
            f"-cpu {'host' if kvm else 'max'} -smp {self.cpus} -m {self.memory_mib} "
            "-display none -serial stdio -device virtio-rng-pci"
        )
        command = [QEMU, *options.split(), "-append", "console=ttyS0 panic=-1 audit=0"]
        command += ["-kernel", str(self.kernel / "vmlinuz")]
        command += ["-initrd", str(self.kernel / "initrd")]
        for i, (path, access) in enumerate(disks):
            command += ["-drive", f"file={path},if=none,id=disk{i},format=raw,{access}"]
            command += ["-device", f"virtio-blk-pci,drive=disk{i}"]
        for i, end in enumerate(ends):
            command += self._interface(i, end)
        return command

    def _interface(self, index: int, end: LinkEnd) -> list[str]:
        mark = hashlib.sha256(self.name.encode()).hexdigest()
        mac = f"52:54:00:{mark[:2]}:{mark[2:4]}:{index:02x}"
        device = f"virtio-net-pci,netdev=net{index},mac={mac},romfile="
        if isinstance(end, str):
            ours = f"tap,id=net{index},ifname={end},script=no,downscript=no"
            if self.cpus > 1:
                ours += f",queues={self.cpus}"
                device += f",mq=on,vectors={2 * self.cpus + 2}"
        else:
            ours = f"dgram,id=net{index},local.type=fd,local.str={end.fileno()}"
        return ["-netdev", ours, "-device", device]


def kvm_is_there() -> bool:
    """True if this machine has KVM and this process may use it; a guest may still die on it."""
    return os.access("/dev/kvm", os.R_OK | os.W_OK)


def choose_accelerator(kernel: Path, image: Image) -> Accelerator:
    """The accelerator: kvm if a guest boots with it, else tcg. A guest is booted once to find out,
    and the answer is remembered for this machine, with its reason."""
    memory = CACHE / "accelerator.json"
    version = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True)
    machine = {
        "kernel": platform.release(),
        "qemu": version.stdout.splitlines()[0],
        "recipe": kernel.name + image.folder.name,
    }
    known = json.loads(memory.read_text()) if memory.exists() else {}
    if known.get("machine") != machine:
        reason = _kvm_fails(kernel, image.disk)
        known = {
            "machine": machine,
            "accelerator": "tcg" if reason else "kvm",
            "reason": reason or "a guest boots with it",
        }
        atomic_write(memory, json.dumps(known, indent=1))
    accelerator: Accelerator = known["accelerator"]
    return accelerator


def _kvm_fails(kernel: Path, disk: Path) -> str | None:
    """The reason why a guest does not boot with KVM, or None if it does. KVM may be absent, refuse,
    fail on an instruction that it cannot emulate, or hang."""
    if not kvm_is_there():
        return "this machine has no /dev/kvm that is open to us"
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        guest = QemuGuest("probe", Path(folder) / "probe", kernel, disk, 256, 1, "kvm")
        guest.start([], {"network.sh": "", "authorized_keys": "", "ssh_host_ed25519_key": ""})
        try:
            guest.wait_until(lambda: _has_booted(guest), PROBE_LIMIT_S)
        except UserError as error:
            return f"with KVM no guest boots: {error}"
        finally:
            guest.stop()
    return None


def _has_booted(guest: QemuGuest) -> bool:
    """True once the guest has booted. Raises UserError if KVM failed: QEMU then stops the guest,
    but does not end."""
    for line in guest.said.splitlines():
        if "KVM internal error" in line:
            raise UserError(line.strip())
    return "LAB-READY" in guest.said


def _accelerator() -> Accelerator:
    kernel = get_kernel("stock")  # with it, QEMU is installed where that is allowed
    if not shutil.which(QEMU):
        raise UserError(
            f"lab: {QEMU} is not installed; on Debian: sudo apt-get install -y "
            "--no-install-recommends qemu-system-x86"
        )
    return choose_accelerator(kernel, get_image())


def _prepare(memory_mib: int, wanted: Wanted) -> Make:
    return partial(
        QemuGuest,
        kernel=get_kernel("stock"),
        disk=get_image().disk,
        memory_mib=memory_mib,
        cpus=wanted.cpus or 1,
        accelerator=_accelerator(),
    )


KIND = BackendKind(
    name="qemu",
    prepare=_prepare,
    network=lambda topology, cpus: Network(topology, queues=cpus),
    interface="eth",
    boot_limit_s=120,
    stands_in=lambda: kvm_is_there() and _accelerator() == "kvm",
    accelerator=_accelerator,
    kernel="stock",
)

"""The guest image of a bundle: the one of this machine, without what the scenarios do not need."""

import shutil
from pathlib import Path

from remeasure.bench.base.errors import UserError
from remeasure.bench.bundle.bundle_needs import Wanted
from remeasure.bench.bundle.host_commands import remove, run, run_as_root, strip_debug
from remeasure.bench.bundle.packages import Packages
from remeasure.bench.lab.image import BUILD, Image
from remeasure.bench.lab.loader import RELATIVE

_UNUSED = (
    "usr/bin/apt*",
    "usr/bin/linux.uml",
    "usr/bin/sqv",
    "usr/lib/apt",
    "usr/lib/systemd",
    "usr/lib/uml/modules/*/kernel/net/netfilter/ip*",
    "usr/lib/uml/modules/*/kernel/fs",
    "usr/lib/uml/modules/*/kernel/sound",
    "usr/lib/x86_64-linux-gnu/gconv",
    "usr/lib/x86_64-linux-gnu/libapt-*",
    "usr/lib/x86_64-linux-gnu/perl-base/unicore",
    "usr/lib/x86_64-linux-gnu/systemd",
    "usr/share/doc",
    "usr/share/zoneinfo",
    "var/cache/*",
    "var/lib/apt",
    "var/lib/dpkg/info",
)
"""files that no guest reads: it installs nothing, its init starts no systemd, its kernel is beside
the image, and its file system is built into the kernel"""
_DRIVERS = {"dummy.ko", "ifb.ko", "tun.ko", "veth.ko", "macvlan.ko"}
"""modules that remain of the folder of drivers"""
_NETWORKS = {"core", "ipv4", "ipv6", "key", "netfilter", "packet", "sched", "xfrm"}
"""folders of modules for networks that remain"""


def trim(image: Image, wanted: Wanted, folder: Path) -> None:
    """Write the image for a bundle to `folder`, where work is done, too. Raises UserError."""
    root = folder / "root"
    root.mkdir(parents=True)
    # Every file of the image is root's, and stays root's.
    run_as_root(["debugfs", "-R", f'rdump / "{root}"', str(image.disk)])
    if not (root / "sbin" / "lab-init").exists():  # debugfs fails without an exit status
        raise UserError(f"bundle: {image.disk}: debugfs copied no sbin/lab-init out of it")
    packages = Packages(root)
    kept = packages.kept(_chosen(), wanted.unneeded)
    packages.remove(packages.names() - kept)
    for pattern in _UNUSED:
        for path in root.glob(pattern):
            remove(path)
    _index_modules(root)
    strip_debug([*root.glob("usr/lib/uml/modules/**/*.ko")])
    _write(image, root, folder, kept)


def _write(image: Image, root: Path, folder: Path, kept: set[str]) -> None:
    size = image.disk.stat().st_size
    disk = ["mke2fs", "-qq", "-t", "ext4", "-m", "0", "-O", "^has_journal", "-d", str(root)]
    run_as_root([*disk, str(folder / image.disk.name), f"{size // 1024}k"])
    shutil.rmtree(root)
    shutil.copytree(image.folder / "lib", folder / "lib")
    with_relative_loader(image.kernel, folder / image.kernel.name)
    shutil.copy2(image.folder / "image.tsv", folder)
    with (folder / "image.tsv").open("a") as facts:
        facts.write("trimmed\tfor a bundle: packages.tsv has what is left\n")
    lines = [f"{name}\t{version}\n" for name, version in image.packages.items() if name in kept]
    (folder / "packages.tsv").write_text("".join(lines))


def with_relative_loader(kernel: Path, copy: Path) -> None:
    """Copy a kernel that finds its loader and C library from the folder in which it is started
    (lab/loader.py). Raises UserError."""
    libraries = RELATIVE.rpartition("/")[0]
    change = ["patchelf", "--set-interpreter", RELATIVE, "--set-rpath", libraries]
    run([*change, "--output", str(copy), str(kernel)])
    copy.chmod(0o755)


def _chosen() -> set[str]:
    """The packages that the recipe of the image names."""
    lines = BUILD.with_name("packages.txt").read_text().splitlines()
    return {line for line in lines if not line.startswith("#")}


def _index_modules(root: Path) -> None:
    """Remove modules of what a guest never has, and list the modules that remain as depmod(8) does:
    what is not there must not be found."""
    for modules in root.glob("usr/lib/uml/modules/*"):
        for path in [*modules.glob("kernel/drivers/**/*.ko")]:
            if path.name not in _DRIVERS:
                path.unlink()
        for path in [*modules.glob("kernel/net/*")]:
            if path.is_dir() and path.name not in _NETWORKS:
                remove(path)
        run_as_root(["chroot", str(root), "depmod", modules.name])

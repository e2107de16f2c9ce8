"""Faults of the machine on which a command runs (grounds/machines.py)."""

from pathlib import Path

import pytest

from injections import injection

_GROUPS = Path("/sys/fs/cgroup")
_LIMITS = {
    "memory": ("memory.limit_in_bytes", "memory.max"),
    "cpu": ("cpu.cfs_quota_us", "cpu.max"),
}
"""controller -> its file in version 1 and 2 of cgroups"""


@injection
def machine(ground, lines: list[str]) -> None:
    """Lines of sh that run before the command, in its own namespaces."""
    ground.lines += [line.format(**ground.names) for line in lines]


@injection
def machine_before(ground, lines: list[str]) -> None:
    """Lines before the ground's own start."""
    ground.lines[:0] = [line.format(**ground.names) for line in lines]


@injection
def disk(ground, kib: int) -> None:
    """A disk of so many KiB for raw data. Its contents are kept when the command ends."""
    raw = ground.project.folder / "data/raw"
    kept = ground.project.folder.parent / "kept"
    for folder in (raw, kept):
        folder.mkdir(exist_ok=True, parents=True)
    machine(
        ground, [f"mount --bind {raw} {kept}", f"mount -t tmpfs -o size={kib}k,mode=755 disk {raw}"]
    )
    ground.lines_after.append(f"cp -a {raw}/. {kept}")


@injection
def cached(ground, lines: list[str]) -> None:
    """Lines of sh that change the cache of images and kernels, or rather a layer above it."""
    layer = ground.project.folder.parent / "layer"
    layer.mkdir()
    options = f"lowerdir={{cache}},upperdir={layer}/upper,workdir={layer}/work"
    machine(
        ground,
        [
            f"mount -t tmpfs layer {layer}; mkdir {layer}/upper {layer}/work",
            f"mount -t overlay overlay -o {options} {{cache}}",
            *lines,
        ],
    )


@injection
def absent(ground, programs: list[str]) -> None:
    """Remove these programs from all folders of PATH, for the tried command."""
    folder = ground.project.folder.parent / "programs"
    folder.mkdir()
    for source in ground.project.environment["PATH"].split(":"):
        for path in Path(source).glob("*"):
            if path.name not in programs and not (folder / path.name).exists():
                (folder / path.name).symlink_to(path)
    if hasattr(ground, "lines"):
        ground.lines.append(f"PATH={folder}")
    else:
        ground.project.environment["PATH"] = str(folder)


@injection
def limited(ground, limits: dict[str, str]) -> None:
    """Controller of cgroups (`memory`, `cpu`) -> limit of the command and its children: memory
    [MiB], or processor time in 0.1 s [us]."""
    for controller, limit in limits.items():
        parent, file = _GROUPS / controller, _LIMITS[controller][0]
        if not (parent / file).exists():  # version 2 of cgroups
            parent, file = _GROUPS, _LIMITS[controller][1]
            if controller not in (_GROUPS / "cgroup.subtree_control").read_text().split():
                pytest.skip(f"no group of processes can have a limit of {controller} here")
        own = parent / f"remeasure-{ground.project.folder.parent.name}"
        machine(ground, [f"mkdir {own}; echo {limit} >{own}/{file}; echo $$ >{own}/cgroup.procs"])
        ground.lines_after += [f"echo $$ >{parent}/cgroup.procs", f"rmdir {own}"]

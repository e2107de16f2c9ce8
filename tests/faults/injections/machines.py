"""Faults of the machine on which a command runs: grounds/machines.py has such machines."""

from pathlib import Path

import pytest

from injections import injection

_GROUPS = Path("/sys/fs/cgroup")


@injection
def machine(ground, lines: list[str]) -> None:
    """Lines of sh that run before the command, in its own namespaces."""
    ground.lines += [line.format(**ground.names) for line in lines]


@injection
def machine_before(ground, lines: list[str]) -> None:
    """The same, before what the ground itself starts."""
    ground.lines[:0] = [line.format(**ground.names) for line in lines]


@injection
def disk(ground, kib: int) -> None:
    """A disk of so many KiB for raw data. What is on it when the command ends is kept."""
    raw = ground.project.folder / "data/raw"
    kept = ground.project.folder.parent / "kept"
    for folder in (raw, kept):
        folder.mkdir(exist_ok=True, parents=True)
    machine(
        ground,
        [f"mount --bind {raw} {kept}", f"mount -t tmpfs -o size={kib}k,mode=755 disk {raw}"],
    )
    ground.lines_after.append(f"cp -a {raw}/. {kept}")


@injection
def memory(ground, mib: int) -> None:
    """So many MiB of memory for the command and all that it starts."""
    group = f"remeasure-{ground.project.folder.parent.name}"
    parent, limit = _GROUPS / "memory", "memory.limit_in_bytes"
    if not parent.exists():  # version 2 of cgroups
        parent, limit = _GROUPS, "memory.max"
        if "memory" not in (_GROUPS / "cgroup.subtree_control").read_text():
            pytest.skip("no group of processes can have a limit of memory here")
    machine(
        ground,
        [
            f"mkdir {parent}/{group}; echo {mib}M >{parent}/{group}/{limit}",
            f"echo $$ >{parent}/{group}/cgroup.procs",
        ],
    )
    ground.lines_after += [f"echo $$ >{parent}/cgroup.procs", f"rmdir {parent}/{group}"]


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
    """Programs that no folder of PATH has."""
    folder = ground.project.folder.parent / "programs"
    folder.mkdir()
    for source in ground.project.environment["PATH"].split(":"):
        for path in Path(source).glob("*"):
            if path.name not in programs and not (folder / path.name).exists():
                (folder / path.name).symlink_to(path)
    ground.lines.append(f"PATH={folder}")


@injection
def quota(ground, processors: float) -> None:
    """So many processors for the command and all that it starts, as containers are given them."""
    group = f"remeasure-{ground.project.folder.parent.name}"
    parent, limit = _GROUPS / "cpu", f"echo {processors * 1e5:.0f} >{{}}/cpu.cfs_quota_us"
    if not (parent / "cpu.cfs_quota_us").exists():  # version 2 of cgroups
        parent, limit = _GROUPS, f"echo {processors * 1e5:.0f} 100000 >{{}}/cpu.max"
        if "cpu" not in (_GROUPS / "cgroup.subtree_control").read_text().split():
            pytest.skip("no group of processes can have a quota of processor time here")
    own = parent / group
    machine(ground, [f"mkdir {own}; {limit.format(own)}; echo $$ >{own}/cgroup.procs"])
    ground.lines_after += [f"echo $$ >{parent}/cgroup.procs", f"rmdir {own}"]

"""Faults of the machine on which a command runs: grounds of machines.py have them."""

from pathlib import Path

from injections import injection


@injection
def machine(ground, lines: list[str]) -> None:
    """Lines of sh that run before the command, in its own namespaces."""
    ground.lines += [line.format(**ground.names) for line in lines]


@injection
def machine_before(ground, lines: list[str]) -> None:
    """The same, before what the ground itself starts."""
    ground.lines[:0] = [line.format(**ground.names) for line in lines]


@injection
def cached(ground, lines: list[str]) -> None:
    """Lines of sh that change the cache of images and kernels, or rather a layer above it."""
    layer = ground.project.folder.parent / "layer"
    for name in ("upper", "work"):
        (layer / name).mkdir(parents=True)
    options = f"lowerdir={{cache}},upperdir={layer}/upper,workdir={layer}/work"
    machine(ground, [f"mount -t overlay overlay -o {options} {{cache}}", *lines])


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

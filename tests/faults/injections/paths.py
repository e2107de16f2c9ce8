"""Faults of paths: any ground has them. A name is relative to the copy of the project."""

import os
import shutil

from injections import injection


@injection
def bytes_in(ground, files: dict[str, str]) -> None:
    """File -> bytes in hexadecimal that are put before what it holds."""
    for name, content in files.items():
        path = ground.project.folder / name
        path.write_bytes(bytes.fromhex(content) + path.read_bytes())


@injection
def folder_for_file(ground, names: list[str]) -> None:
    """A folder stands where the file is expected."""
    for name in names:
        path = ground.project.folder / name
        path.unlink(missing_ok=True)
        path.mkdir(parents=True)


@injection
def copy(ground, files: dict[str, str]) -> None:
    """File -> name of a copy."""
    for name, other in files.items():
        path = ground.project.folder / other
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ground.project.folder / name).read_bytes())


@injection
def remove_folder(ground, names: list[str]) -> None:
    for name in names:
        shutil.rmtree(ground.project.folder / name)


@injection
def move(ground, names: dict[str, str]) -> None:
    for name, other in names.items():
        (ground.project.folder / name).rename(ground.project.folder / other)


@injection
def flip(ground, places: dict[str, int]) -> None:
    """File -> the byte whose lowest bit is flipped."""
    for name, place in places.items():
        path = ground.project.folder / name
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        path.write_bytes(content)


@injection
def keep_bytes(ground, sizes: dict[str, int]) -> None:
    """File -> how many of its bytes are kept."""
    for name, size in sizes.items():
        path = ground.project.folder / name
        path.write_bytes(path.read_bytes()[:size])


@injection
def link_to_file(ground, names: dict[str, str]) -> None:
    """Name -> file to which a symbolic link of this name leads."""
    for name, target in names.items():
        (ground.project.folder / name).symlink_to(ground.project.folder / target)


@injection
def pipe(ground, names: list[str]) -> None:
    """A pipe (FIFO) stands where the file is expected."""
    for name in names:
        path = ground.project.folder / name.format(**ground.names)
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)


@injection
def link(ground, names: dict[str, str]) -> None:
    """Name of a symbolic link -> where it leads."""
    for name, target in names.items():
        path = ground.project.folder / name.format(**ground.names)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

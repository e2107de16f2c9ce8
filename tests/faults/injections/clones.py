"""Faults of a built clone: copies, links, and an interpreter that is gone."""

import os

from environments import copy_clone, spoil_code

from injections import injection


@injection
def copied_clone(ground, name: str) -> None:
    """The command runs in a copy; code of the original fails from then on."""
    original = ground.project.folder
    ground.project.folder = original.with_name(name)
    copy_clone(original, ground.project.folder)
    spoil_code(original)


@injection
def behind_link(ground, name: str) -> None:
    """The clone is reached by a link of this name."""
    link = ground.project.folder.with_name(name)
    link.symlink_to(ground.project.folder)
    ground.project.folder = link


@injection
def from_another_clone(ground, names: list[str]) -> None:
    """These files and folders are links to those of another clone, a copy of this one."""
    other = ground.project.folder.with_name("another")
    copy_clone(ground.project.folder, other)
    for name in names:
        path = ground.project.folder / name
        path.rename(path.with_name(f"{path.name}.before"))
        path.symlink_to(other / name)


@injection
def hard_links_to(ground, names: list[str]) -> None:
    """Files of the clone have a second name elsewhere, as all have after `cp -al`."""
    for place, name in enumerate(names):
        os.link(ground.project.folder / name, ground.project.folder.with_name(f"linked-{place}"))


@injection
def dangling(ground, names: list[str]) -> None:
    """Links that lead to nothing any more, as to a Python that was removed."""
    for name in names:
        path = ground.project.folder / name
        path.unlink()
        path.symlink_to(ground.project.folder / "removed")

"""Faults of files, on any ground. A name is relative to the copy of the project, and may contain
{names} of the ground."""

import subprocess
from pathlib import Path

import nbformat
import yaml

from injections import injection


def path_of(ground, name: str) -> Path:
    return ground.project.folder / name.format(**ground.names)


@injection
def sh(ground, line: str) -> None:
    """A line for sh, run in the copy of the project."""
    folder = ground.project.folder
    subprocess.run(["sh", "-ec", line.format(**ground.names)], cwd=folder, check=True)


@injection
def write(ground, files: dict[str, str]) -> None:
    """File -> its whole text."""
    for name, text in files.items():
        path = path_of(ground, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@injection
def replace(ground, edits: dict[str, dict[str, str]]) -> None:
    """File -> {text in it: replacement}."""
    for name, changes in edits.items():
        path = path_of(ground, name)
        text = path.read_text()
        for old, new in changes.items():
            assert old in text, (name, old)
            text = text.replace(old, new)
        path.write_text(text)


@injection
def change(ground, edits: dict[str, dict]) -> None:
    """YAML file -> {dotted field: value}; the value null removes the field."""
    for name, changes in edits.items():
        path = path_of(ground, name)
        document = yaml.safe_load(path.read_text())
        for field, value in changes.items():
            set_field(document, field, value)
        path.write_text(yaml.safe_dump(document, sort_keys=False))


def set_field(document: object, field: str, value: object) -> None:
    """Set a dotted field; the value None removes it."""
    *parents, last = field.split(".")
    for parent in parents:
        document = document[int(parent) if isinstance(document, list) else parent]
    key = int(last) if isinstance(document, list) else last
    if value is None:
        del document[key]
    else:
        document[key] = value


@injection
def environment(ground, variables: dict[str, str]) -> None:
    """Variables of the command's environment."""
    ground.project.environment |= {k: v.format(**ground.names) for k, v in variables.items()}


@injection
def flip(ground, places: dict[str, int]) -> None:
    """File -> the byte in which a bit is flipped."""
    for name, place in places.items():
        content = bytearray(path_of(ground, name).read_bytes())
        content[place] ^= 0x10
        path_of(ground, name).write_bytes(content)


@injection
def cells(ground, sources: list[str]) -> None:
    """The cells of notebooks/tried.ipynb, of code all of them."""
    filled = ["blocks = []\nout = ''", *(source.format(**ground.names) for source in sources)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = list(map(nbformat.v4.new_code_cell, filled))
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    made.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(made, path_of(ground, "notebooks/tried.ipynb"))

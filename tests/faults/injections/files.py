"""Faults of files: any ground has them. A name is relative to the copy of the project."""

from pathlib import Path

import yaml

from injections import injection


def _path(ground, name: str) -> Path:
    return ground.project.folder / name.format(**ground.names)


@injection
def write(ground, files: dict[str, str]) -> None:
    """File -> its whole text."""
    for name, text in files.items():
        path = _path(ground, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@injection
def replace(ground, edits: dict[str, dict[str, str]]) -> None:
    """File -> {what stands there: what stands there instead}."""
    for name, changes in edits.items():
        path = _path(ground, name)
        text = path.read_text()
        for old, new in changes.items():
            assert old in text, (name, old)
            text = text.replace(old, new)
        path.write_text(text)


@injection
def change(ground, edits: dict[str, dict]) -> None:
    """YAML file -> {dotted field: value}; the value null removes the field."""
    for name, changes in edits.items():
        path = _path(ground, name)
        document = yaml.safe_load(path.read_text())
        for field, value in changes.items():
            *parents, last = field.split(".")
            place = document
            for parent in parents:
                place = place[int(parent) if isinstance(place, list) else parent]
            if value is None:
                del place[last]
            else:
                place[last] = value
        path.write_text(yaml.safe_dump(document, sort_keys=False))


@injection
def append(ground, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        with _path(ground, name).open("a") as file:
            file.write(text)


@injection
def remove(ground, names: list[str]) -> None:
    for name in names:
        _path(ground, name).unlink()


@injection
def environment(ground, variables: dict[str, str]) -> None:
    """Variables of the command's environment."""
    ground.project.environment |= {k: v.format(**ground.names) for k, v in variables.items()}
